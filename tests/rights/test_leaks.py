"""A hidden tool is searched for through every interface: nothing of it may show to those who may not see it.

Every address that anyone may read is requested, from the URL conf and the OpenAPI document, and looked through for the
words that only the hidden tool contains.
"""

from __future__ import annotations

import io
import json
import re
from zipfile import ZipFile

import pytest
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse

from accounts.roles import set_role
from accounts.tokens import create_token
from catalog.access.models import Audience, Toolkit
from catalog.organise.access import Access, change_tool_access, change_toolkit_access
from catalog.organise.lifecycle import deprecate
from catalog.sources.models import Source, SourceSync, SourceTool
from catalog.tools.lookup import toolkit_for
from catalog.tools.models import Tool
from catalog.tools.publishing import publish
from catalog.tools.schemas import TOOL  # noqa: F401 - the API is set up
from catalog.webhooks.models import Webhook, WebhookDelivery
from playground.factories.registry import registry
from playground.runs.models import Run, RunFile
from tests.conftest import Program
from tests.factories import make_spec, make_token, make_tool, make_user, spec_text
from tests.playground.mcp.agent import Agent
from tests.rights.test_matrix import MESSAGES, OPERATIONS_THERE, ROUTES
from toolshelf_core.encryption import encrypt

SECRET = "zyxwonder"  # stands in every text of the hidden tool
KIT = "zyxwonderkit"


@pytest.fixture
def owner(db):
    return make_user("olivia")


@pytest.fixture
def team(db):
    return Group.objects.create(name="weather team")


@pytest.fixture
def member(team):
    person = make_user("mia")
    person.groups.add(team)
    return person


@pytest.fixture
def outsider(db):
    return make_user("otto")


@pytest.fixture
def hidden(owner, team):
    """A tool that only its owner and the team see, near a public one that it would be similar to."""
    text = f"Forecast the {SECRET} weather of a city."
    public = publish(
        make_spec("public.forecast", description="Forecast the weather of a city.", tags=["sky"]),
        by=owner,
    )
    spec = make_spec(f"{KIT}.forecast", description=text, tags=["sky", f"{SECRET}-tag"])
    tool = publish(spec, by=owner).tool
    tool = publish(
        make_spec(f"{KIT}.forecast", description=text + " ", tags=["sky", f"{SECRET}-tag"]),
        by=owner,
    ).tool
    tool = change_tool_access(tool, Access(visibility="groups", groups=[team.name]), by=owner)
    deprecate(public.tool, note="Old.", superseded_by=tool.tool_id, by=owner)
    source = Source.objects.create(name="origin", kind="openapi", document="{}")
    SourceTool.objects.create(
        source=source,
        tool_id=tool.tool_id,
        catalog_tool=tool,
        remote_name=SECRET,
        listed_sha256="0" * 64,
    )
    SourceSync.objects.create(
        source=source,
        changes_json=json.dumps(
            [{"tool_id": tool.tool_id, "outcome": "created", "slug": tool.slug}]
        ),
    )
    run = Run.objects.create(
        tool=tool,
        revision=tool.current,
        by=owner,
        parameters_json="{}",
        outcome="returned",
        response_json='"x"',
    )
    content = SECRET.encode()
    RunFile.objects.create(
        run=run,
        number=1,
        name="a.txt",
        media_type="text/plain",
        size=len(content),
        sha256="0",
        content=content,
    )
    webhook = Webhook.objects.create(
        pk=1, url="http://127.0.0.1/", events=["tool.created"], secret=encrypt("0" * 64)
    )
    WebhookDelivery.objects.create(
        pk=1, webhook=webhook, message_id="msg_1", event="webhook.test", data_json="{}", body=SECRET
    )
    run.groups.add(Group.objects.create(name="others"))
    return tool


# Beginnings of words are for what suggests words, and filters for what finds tools.
QUERIES = {
    ("/tools/", "/facets/", "/api/v1/tools"): (
        "q=forecast",
        f"q={SECRET}",
        f"q={SECRET[:-1]}q",
        "tag=sky",
        "owner=olivia",
        f"toolkit={KIT}",
        "include=archived",
        f"id={KIT}.forecast",
    ),
    ("/palette/", "/suggestions/"): (
        f"q={SECRET[:6]}",
        "q=weather+of",
        "q=takes:",
        "q=toolkit:",
        "q=tag:",
        "q=owner:o",
    ),
    ("/api/v1/toolkits", "/api/v1/tags"): (f"q={SECRET[:6]}",),
}


def addresses(tool):
    """Every page that can be requested with GET, and every operation of the API that reads."""
    public, run = Tool.objects.get(tool_id="public.forecast"), Run.objects.get()
    values = {
        "number": 1, "pair": (1, 2), "waiver": 1, "rule": "name-not-portable", "key": "mcp", "format": "mcp",
        "language": "python", "webhook": 1, "delivery": 1,
        "toolkit": KIT, "run_id": run.pk, "first_id": run.pk, "second_id": run.pk, "other_id": run.pk, "check": 1,
        "sync": SourceSync.objects.get().pk, "change": 1, "pk": 1, "position": 1, "name": "origin",
        "session_digest": "0" * 64, "other": public.slug,
    }  # fmt: skip
    for slug in (tool.slug, public.slug):
        for namespace, name, pattern in ROUTES:
            if slug == public.slug and "slug" not in pattern.pattern.converters:
                continue  # the same address again
            if namespace == "admin" or name.startswith("/") or name == "sign_in_by_link":
                continue
            given = {
                **values,
                "slug": slug,
                "name": KIT if name.startswith("toolkit") else "origin",
            }
            if name == "help_page":
                given["slug"] = "rights"
            wanted = {key: given[key] for key in pattern.pattern.converters}
            yield reverse(f"{namespace}:{name}" if namespace else name, kwargs=wanted)
        for method, path, _ in OPERATIONS_THERE:
            if method == "GET" and (slug == tool.slug or "{slug}" in path):
                given = {
                    **values,
                    "slug": slug,
                    "name": KIT if path.startswith("/toolkits/") else "origin",
                }
                for key, value in given.items():
                    path = path.replace(f"{{{key}}}", str(value))  # noqa: PLW2901
                yield f"/api/v1{path}" + (
                    "?from=1&to=2"
                    if path.endswith("/diff")
                    else "?number=1"
                    if path.endswith("/file")
                    else ""
                )
    for paths, queries in QUERIES.items():
        yield from (f"{path}?{query}" for path in paths for query in queries)


def leaks(client, tool, **headers):
    """The addresses whose responses contain a word of the hidden tool that is not in the address itself."""
    found = []
    for address in addresses(tool):
        response = client.get(address, headers=headers)
        content = b"".join(response.streaming_content) if response.streaming else response.content
        text = unzipped(content).decode().casefold()
        for part in {address, *(value for value in re.split("[?=&]", address))}:
            text = text.replace(part.casefold(), "")
        if SECRET in text and "q=" + SECRET not in address and "toolkit=" + KIT not in address:
            found.append((address, text[max(0, text.index(SECRET) - 60) :][:120]))
        elif "tools" in address and f"{KIT}.forecast" in text:
            found.append((address, "by its id"))
    return found


def unzipped(content):
    """All files of a ZIP, such as generated code, after each other; other content unchanged."""
    if not content.startswith(b"PK"):
        return content
    with ZipFile(io.BytesIO(content)) as archive:
        return b"".join(name.encode() + archive.read(name) for name in archive.namelist())


@pytest.mark.parametrize("kind", ["visitor", "outsider"])
def test_nobody_else_finds_a_hidden_tool_in_pages_or_the_api(hidden, outsider, kind):
    client = Client()
    if kind == "outsider":
        client.force_login(outsider)

    assert leaks(client, hidden) == []


def test_the_search_itself_finds_it_where_it_is_visible(hidden, owner, member):
    for person in (owner, member, make_user("chief", is_staff=True)):
        program = Program(make_token(user=person))
        found = program.ask("/tools", q=SECRET).json()
        assert [tool["id"] for tool in found["items"]] == [hidden.tool_id]
        assert program.ask(f"/tools/{hidden.slug}").status_code == 200
        assert "sky" in {
            group["name"]: group["tools"] for group in program.ask("/tags").json()["items"]
        }


def test_counts_do_not_include_hidden_tools(hidden, outsider, member):
    sees, blind = Program(make_token(user=member)), Program(make_token(user=outsider))

    assert tools_tagged(sees, "sky") == 2
    assert tools_tagged(blind, "sky") == 1
    assert blind.ask("/tools", q="forecast").json()["count"] == 1
    assert blind.ask("/tools").json()["count"] == 1
    assert f"{SECRET}-tag" not in blind.ask("/tags").content.decode()


def tools_tagged(program, tag):
    return {group["name"]: group["tools"] for group in program.ask("/tags").json()["items"]}[tag]


def test_a_misspelt_word_of_a_hidden_tool_is_not_corrected(hidden, client):
    assert SECRET not in client.get("/tools/?q=zyxwondr ").content.decode()


def test_a_hidden_tool_is_not_a_similar_tool_nor_a_successor(hidden, outsider, member):
    public = Tool.objects.get(tool_id="public.forecast")
    blind, sees = Program(make_token(user=outsider)), Program(make_token(user=member))

    assert blind.ask(f"/tools/{public.slug}/similar").json()["items"] == []
    assert [one["id"] for one in sees.ask(f"/tools/{public.slug}/similar").json()["items"]] == [
        hidden.tool_id
    ]
    assert blind.ask(f"/tools/{public.slug}").json()["deprecation"]["superseded_by"] is None
    assert (
        sees.ask(f"/tools/{public.slug}").json()["deprecation"]["superseded_by"]["id"]
        == hidden.tool_id
    )


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("search_tools", {"query": SECRET}),
        ("search_tools", {"query": "forecast"}),
        ("describe_tool", {"tool": f"{KIT}.forecast"}),
        ("call_tool", {"tool": f"{KIT}.forecast"}),
        ("describe_tool", {"tool": "public.forecast"}),
    ],
)
def test_mcp_hides_it_as_well(hidden, client, outsider, name, arguments):
    agent = Agent(client, make_token(user=outsider))

    text = agent.request("tools/call", {"name": name, "arguments": arguments}).content.decode()

    assert SECRET not in text.replace(f"{KIT}.forecast", "")
    assert agent.at(f"/mcp/{KIT}").request("tools/list").status_code == 404


@pytest.mark.parametrize(
    "method", ["initialize", "server/discover", "tools/list", "prompts/list", "resources/list"]
)
def test_mcp_does_not_mention_it_unasked(hidden, client, outsider, method):
    answer = Agent(client, make_token(user=outsider)).request(method, MESSAGES.get(method))

    assert SECRET not in answer.content.decode()


def test_a_factory_shows_nothing_of_a_hidden_tool_that_it_serves(hidden, owner, outsider, team):
    spec = make_spec("convert_units", description=f"Convert {SECRET} units.")
    change_tool_access(
        publish(spec, by=owner).tool, Access(visibility="groups", groups=[team.name]), by=owner
    )
    program = Program(make_token(user=outsider))
    client = Client()
    client.force_login(outsider)

    [reference] = [each.reference for each in registry().all() if each.tool_id == "convert_units"]
    for answer in (program.ask("/factories"), client.get("/factories/")):
        assert answer.status_code == 200
        assert SECRET not in answer.content.decode()
        assert "convert_units" not in answer.content.decode()
    assert SECRET not in client.get("/factories/new/").content.decode()
    assert client.get("/factories/new/?tool=convert_units").status_code == 404
    assert client.get(f"/factories/{reference}/spec/").status_code == 404
    assert program.ask(f"/factories/{reference}/spec").status_code == 404


def test_results_cached_for_one_person_are_not_shown_to_another(hidden, member, outsider):
    sees, blind = Client(), Client()
    sees.force_login(member)
    blind.force_login(outsider)

    for path in ("/tools/?q=forecast", "/facets/?q=forecast", "/tools/"):
        assert KIT in sees.get(path).content.decode()
        assert KIT not in blind.get(path).content.decode()


def test_a_run_of_a_hidden_tool_does_not_open_for_a_group_that_may_not_see_the_tool(
    hidden, outsider
):
    outsider.groups.add(Group.objects.get(name="others"))
    run = Run.objects.get()

    assert Program(make_token(user=outsider)).ask(f"/runs/{run.pk}").status_code == 404


def test_a_shared_run_opens_for_the_group_and_for_nobody_else(owner, team, member, outsider):
    tool = make_tool("kit.open")
    run = Run.objects.create(
        tool=tool, revision=tool.current, by=owner, parameters_json="{}", outcome="returned"
    )

    put = Program(make_token(user=member)).send(
        "PUT", f"/runs/{run.pk}/groups", '{"groups": ["weather team"]}'
    )
    assert put.status_code == 404  # it is not shared yet
    owner.groups.add(team)
    shared = Program(make_token(user=owner)).send(
        "PUT", f"/runs/{run.pk}/groups", '{"groups": ["weather team"]}'
    )

    assert shared.status_code == 200
    assert Program(make_token(user=member)).ask(f"/runs/{run.pk}").status_code == 200
    assert (
        Program(make_token("run", user=member)).ask(f"/runs/{run.pk}").status_code == 404
    )  # needs `read`
    assert Program(make_token(user=outsider)).ask(f"/runs/{run.pk}").status_code == 404
    assert (
        Program(make_token(user=member)).send("POST", f"/runs/{run.pk}/cancel").status_code == 403
    )


def test_a_toolkit_hides_its_tools_also_new_ones(owner, outsider, team):
    administrator = make_user("chief", is_staff=True)
    make_tool("kit.one", description="Something.")
    toolkit = toolkit_for(administrator, "organise", "kit")
    change_toolkit_access(
        toolkit, Access(owner="olivia", visibility="groups", groups=[team.name]), by=administrator
    )
    publish(make_spec("kit.two"), by=owner)

    assert Program(make_token(user=outsider)).ask("/tools").json()["count"] == 0
    assert Program(make_token(user=owner)).ask("/tools").json()["count"] == 2

    change_toolkit_access(Toolkit.objects.get(), Access(visibility="everyone"), by=owner)

    assert Program(make_token(user=outsider)).ask("/tools").json()["count"] == 2
    assert not Audience.objects.exists()


def test_signed_in_people_see_what_visitors_do_not(owner, outsider):
    change_tool_access(make_tool("kit.one"), Access(visibility="signed-in"), by=None)

    assert Program().ask("/tools").json()["count"] == 0
    assert Program(make_token(user=outsider)).ask("/tools").json()["count"] == 1


def test_a_token_that_is_limited_to_toolkits_sees_other_tools_as_a_visitor(hidden, member, team):
    change_tool_access(
        make_tool("other.one"), Access(visibility="groups", groups=[team.name]), by=None
    )
    _, secret = create_token(member, scopes=["read", "publish"], toolkits=[KIT])
    limited = Program(secret)

    assert {tool["id"] for tool in limited.ask("/tools").json()["items"]} == {
        hidden.tool_id,
        "public.forecast",
    }
    refused = limited.send("POST", "/tools", spec_text("free.one"))
    assert refused.status_code == 403
    assert "limited to the toolkits zyxwonderkit" in refused.json()["detail"]
    assert limited.send("POST", "/tools", spec_text(f"{KIT}.two")).status_code == 201
    assert not Tool.objects.filter(tool_id="free.one").exists()


def test_a_token_that_is_limited_to_toolkits_uploads_new_tools_into_them_alone(outsider):
    _, secret = create_token(outsider, scopes=["publish"], toolkits=["own"])

    report = (
        Program(secret)
        .send("POST", "/uploads", f"[{spec_text('own.one')},{spec_text('free.one')}]")
        .json()
    )

    assert [spec["outcome"] for spec in report["specs"]] == ["created", "rejected"]
    assert "limited to the toolkits own" in report["specs"][1]["problems"][0]["message"]


def test_a_token_has_no_more_rights_than_its_person(hidden, outsider):
    set_role(outsider, "reader")
    program = Program(make_token(user=outsider))

    assert program.send("POST", "/tools", json.dumps(make_spec("a.b").document)).status_code == 403
    assert program.send("DELETE", "/tools/public.forecast").status_code == 403


def test_visitors_see_nothing_if_browsing_is_closed(client, settings, ada):
    settings.ANONYMOUS_BROWSING = False
    make_tool("kit.one")

    for path in (
        *(
            "/",
            "/tools/",
            "/toolkits/kit/settings/",
            "/tools/kit.one/",
            "/palette/?q=a",
            "/connect/",
        ),
        *("/factories/", "/factories/new/", "/help/", "/help/rights/", "/api/v1/docs"),
        "/tools/kit.one/formats/python/",
    ):
        assert client.get(path).status_code == 302, path
    for path in ("/tools", "/lint/rules"):
        assert Program().ask(path).status_code == 401
    assert Program(make_token(user=ada)).ask("/tools").json()["count"] == 1


def test_people_can_sign_in_if_browsing_is_closed(client, settings, ada):
    settings.ANONYMOUS_BROWSING = False

    passkey = client.get("/passkey/", headers={"X-Requested-With": "XMLHttpRequest"})
    assert client.get("/sign-in/").status_code == 200
    assert client.get("/sign-in/link/").status_code == 410  # used up, rather than "sign in"
    assert passkey.status_code == 200
    assert client.get("/second-step/")["Location"] == "/sign-in/"
    for way in (client.post("/oidc/"), client.get("/oidc/callback/")):
        assert way.status_code == 404  # this site has no provider
    assert client.get("/healthz").status_code == 200
