"""The configuration of an API: its URL and its secrets.

Sources: OpenAPI 3.1.1, "Server Object", "Security Scheme Object", "Security Requirement Object";
Swagger 2.0, the same sections.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from toolspec.imports.openapi.parts import Context, Part
from toolspec.imports.results import Object
from toolspec.text.containers import items_of, members_of, strings_of
from toolspec.text.pointers import pointer_join
from toolspec.text.reader import JSON

BASE_URL: Final = "baseUrl"
MAX_SERVERS: Final = 50


@dataclass(slots=True)
class Configuration:
    """The configuration that `operation` needs.

    Attributes:
        schema: of the configuration; None if nothing is to be configured.
        security: for each security requirement, the members of the configuration by scheme.
        schemes: how the secrets are sent, by scheme: {"type", "in"?, "name"?, "scheme"?,
            "tokenUrl"?, "scopes"?}.
    """

    schema: Object | None = None
    security: list[JSON] = field(default_factory=list)
    schemes: Object = field(default_factory=dict)

    def wire(self) -> Object:
        """Members of `x-openapi`."""
        members: Object = {"security": self.security, "securitySchemes": self.schemes}
        return {name: value for name, value in members.items() if value}


def configuration_of(
    item: Part, operation: Part, context: Context, authorization: Part | None = None
) -> Configuration:
    """The configuration that `operation` needs.

    `authorization` is its parameter for the header `Authorization`.
    """
    document = context.document
    servers = operation.value.get("servers", item.value.get("servers", document.get("servers")))
    properties: Object = dict(_read_servers(document, servers))
    required: list[JSON] = []
    security = operation.value.get("security", document.get("security"))
    requirements = [each for each in items_of(security) if isinstance(each, dict)]
    configuration = Configuration()
    for requirement in requirements:
        members: Object = {}
        for name, scopes in requirement.items():
            scheme = _find_scheme(name, context)
            if scheme is None:
                members[name] = []
                continue
            secrets = dict(_list_secrets(name, scheme, scopes, context))
            members[name] = list(secrets)
            properties |= secrets
            configuration.schemes[name] = _wire_of(scheme.value, scopes)
            if not _token_url(scheme.value):  # there, a token and a client are alternatives
                required += list(secrets)
        configuration.security.append(members)
    if authorization is not None and not _sets_authorization(configuration.schemes):
        requirements = _require_header(authorization, configuration, properties, required)
    if sum(map(bool, requirements)) > 1:
        reason = "The API accepts several kinds of credentials, so none of them is required."
        context.report.rewritten(pointer_join(operation.pointer, "security"), reason)
    if properties:
        configuration.schema = {"type": "object", "properties": properties}
        if required and len(requirements) == 1:
            configuration.schema["required"] = required
    return configuration


def _sets_authorization(schemes: Object) -> bool:
    """Whether a security scheme sets the header `Authorization`."""
    for scheme in map(members_of, schemes.values()):
        if scheme.get("type") != "apiKey":
            return True
        if scheme.get("in") == "header" and str(scheme.get("name")).lower() == "authorization":
            return True
    return False


def _require_header(
    header: Part, configuration: Configuration, properties: Object, required: list[JSON]
) -> list[Object]:
    """Add the header to every requirement, and return them all.

    Unless it is required, there are also the requirements without it.
    """
    header_name = name = str(header.value["name"])
    while name in properties:
        name += "_header"
    scheme: Object = {"type": "apiKey", "in": "header", "name": header_name}
    described: Object = {**scheme, "description": header.value.get("description")}
    properties |= dict(_list_secrets(name, Part(described, header.pointer), None, None))
    configuration.schemes[name] = scheme
    before = list(map(members_of, configuration.security)) or [{}]
    requirements: list[Object] = [{**requirement, name: [name]} for requirement in before]
    if header.value.get("required") is True:
        required.append(name)
    else:
        requirements += before
    configuration.security = [*requirements]
    return requirements


# The URL


def _read_servers(document: Object, servers: JSON) -> Iterator[tuple[str, JSON]]:
    declared = [server for server in items_of(servers) if isinstance(server, dict)]
    urls = strings_of([server.get("url") for server in declared[:MAX_SERVERS]])
    urls = [url for url in urls if url]
    if not declared and isinstance(document.get("host"), str):
        urls = list(_swagger_urls(document))
    if not urls:
        return
    secure = [url for url in urls if url.lower().startswith("https://")]
    if secure and urls[0].lower().startswith("http://"):
        urls = [secure[0], *urls]
    base: Object = {"type": "string", "description": "The base URL of the API.", "default": urls[0]}
    if len(urls) > 1:
        base["examples"] = [*dict.fromkeys(urls)]
    yield BASE_URL, base
    for server in declared[:MAX_SERVERS]:
        for name, variable in members_of(server.get("variables")).items():
            if isinstance(variable, dict) and name != BASE_URL:
                yield name, _variable(name, variable)


def _swagger_urls(document: Object) -> Iterator[str]:
    path = document.get("basePath")
    if not isinstance(path, str) or path == "/":
        path = ""
    schemes = strings_of(document.get("schemes")) or ["https"]
    for scheme in [scheme for scheme in schemes if scheme in {"http", "https"}] or schemes:
        yield f"{scheme}://{document['host']}{path}"


def _variable(name: str, variable: Object) -> JSON:
    schema: Object = {"type": "string", "description": f"Replaces {{{name}}} in `{BASE_URL}`."}
    description = variable.get("description")
    if isinstance(description, str):
        schema["description"] = description
    for keyword in ("enum", "default"):
        if keyword in variable:
            schema[keyword] = variable[keyword]
    return schema


# Secrets


def _find_scheme(name: str, context: Context) -> Part | None:
    """The security scheme `name`; None, with a report, if the document does not describe it."""
    parent, schemes = _schemes(context.document)
    consequence = f"The security scheme `{name}` is not defined."
    return context.resolve(schemes.get(name), pointer_join(parent, name), consequence)


def _list_secrets(
    name: str, part: Part, scopes: JSON, context: Context | None
) -> Iterator[tuple[str, JSON]]:
    """The members of the configuration for the security scheme `name`."""
    scheme = part.value
    scheme_type = str(scheme.get("type"))
    if scheme_type == "http":
        scheme_type = f"http {str(scheme.get('scheme')).lower()}"
    secrets = _SECRETS.get(scheme_type, ())
    if not secrets and scheme_type.startswith("http "):
        secrets = _SECRETS["apiKey"]
    if _token_url(scheme):
        secrets += _CLIENT
    if not secrets and context is not None:
        reason = f"`{name}` has the type `{scheme_type}`, which cannot be configured."
        context.report.dropped(part.pointer, reason)
    header, where = scheme.get("name", "Authorization"), scheme.get("in", "header")
    for suffix, template in secrets:
        explanation = template.format(name=header, where=where)
        if isinstance(scopes, list) and scopes:
            explanation += f" Scopes: {', '.join(map(str, scopes))}."
        description = scheme.get("description")
        if isinstance(description, str) and description.strip():
            explanation = f"{description.strip().rstrip('.')}. {explanation}"
        yield f"{name}{suffix}", {"type": "string", "description": explanation, "writeOnly": True}


_SECRETS: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "apiKey": (("", "Sent as `{name}` ({where})."),),
    "http bearer": (("", "A token, sent as `Authorization: Bearer …`."),),
    "http basic": (("Username", "The user name."), ("Password", "The password.")),
    "basic": (("Username", "The user name."), ("Password", "The password.")),
    "oauth2": (("", "An access token of OAuth 2, sent as `Authorization: Bearer …`."),),
    "openIdConnect": (
        ("", "An access token of OpenID Connect, sent as `Authorization: Bearer …`."),
    ),
}


_CLIENT: Final = (
    ("ClientId", "The id of the OAuth 2 client that requests a token for each call."),
    ("ClientSecret", "The secret of the OAuth 2 client."),
)


def _token_url(scheme: Object) -> str:
    """The URL where a client gets a token for itself (the flow "client credentials").

    "" without this flow.
    """
    if scheme.get("type") != "oauth2":
        return ""
    flow = members_of(scheme.get("flows")).get("clientCredentials")
    if flow is None and scheme.get("flow") == "application":  # Swagger 2.0
        flow = scheme
    url = members_of(flow).get("tokenUrl")
    return url if isinstance(url, str) else ""


def _wire_of(scheme: Object, scopes: JSON) -> Object:
    """How the secrets of a scheme are sent, in the same way for OpenAPI 3 and Swagger 2.0."""
    if scheme.get("type") == "basic":  # Swagger 2.0
        return {"type": "http", "scheme": "basic"}
    if scheme.get("type") == "http":
        return {"type": "http", "scheme": str(scheme.get("scheme")).lower()}
    wire: Object = {name: scheme[name] for name in ("type", "in", "name") if name in scheme}
    token_url = _token_url(scheme)
    if token_url:
        wire["tokenUrl"] = token_url
        if isinstance(scopes, list) and scopes:
            wire["scopes"] = scopes
    return wire


def _schemes(document: Object) -> tuple[str, Object]:
    schemes = members_of(document.get("components")).get("securitySchemes")
    if isinstance(schemes, dict):
        return "/components/securitySchemes", schemes
    return "/securityDefinitions", members_of(document.get("securityDefinitions"))
