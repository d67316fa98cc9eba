import asyncio

import pytest

from catalog.sources.models import Source, SourceTool
from catalog.tools.origins import RevisionOrigin
from catalog.tools.publishing import publish_many
from tests.playground.connections.echo_service import Service, document
from tests.playground.connections.mcp_servers import Notes, Served, everyday_server
from toolspec.imports import import_document
from toolspec.text.reader import loads

CREDENTIAL = "source-token-77"


class SourceWithTools:
    """A source, and the tools of the catalog that it lists; `import_as` is the imported document."""

    def __init__(self, source, imported):
        self.source = source
        self.imported = {each.document["definition"]["name"]: each for each in imported.specs}

    def tool(self, name):
        spec = self.imported[name].spec
        origins = {spec.sha256: RevisionOrigin("source", self.source.name)}
        [published] = publish_many([spec], by=None, origins=origins)
        SourceTool.objects.create(
            source=self.source,
            tool_id=spec.tool_id,
            catalog_tool=published.tool,
            remote_name=name,
            listed_sha256="1",
            published_sha256="1",
        )
        return published.tool


@pytest.fixture
def mcp_server():
    """A running MCP server: `.origin`, and `.notes` of its experiences."""
    notes = Notes()
    server = everyday_server(notes)
    with Served(server.streamable_http_app(), notes) as served:
        served.notes, served.mcp = notes, server
        yield served


@pytest.fixture
def echo_service():
    with Service() as service:
        yield service


@pytest.fixture
def mcp_source(db, mcp_server):
    source = Source(name="everyday", kind="mcp-http", address=f"{mcp_server.origin}/mcp")
    source.set_headers({"Authorization": f"Bearer {CREDENTIAL}"})
    source.save()
    tools = [
        tool.model_dump_json(by_alias=True, exclude_none=True)
        for tool in asyncio.run(mcp_server.mcp.list_tools())
    ]
    listed = loads('{"tools": [' + ",".join(tools) + "]}")
    return SourceWithTools(source, import_document(listed, prefix="everyday"))


@pytest.fixture
def openapi_source(db, echo_service):
    source = Source.objects.create(
        name="echo", kind="openapi", address=f"{echo_service.origin}/openapi.json"
    )
    return SourceWithTools(source, import_document(document(), prefix="echo"))
