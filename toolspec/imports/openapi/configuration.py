"""The configuration of an API: its URL and its secrets.

Sources: OpenAPI 3.1.1, "Server Object", "Security Scheme Object", "Security Requirement Object"; Swagger 2.0, the same
sections.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from toolspec.imports.openapi.parts import Context, Part
from toolspec.imports.results import Object
from toolspec.text.containers import items_of, members_of
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
        schemes: how the secrets are sent, by scheme: {"type", "in"?, "name"?, "scheme"?, "tokenUrl"?, "scopes"?}.
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
    """The configuration that `operation` needs; `authorization` is its parameter for the header `Authorization`."""
    document = context.document
    servers = operation.value.get("servers", item.value.get("servers", document.get("servers")))
    properties: Object = dict(_servers(document, servers))
    required: list[JSON] = []
    security = operation.value.get("security", document.get("security"))
    requirements = [one for one in items_of(security) if isinstance(one, dict)]
    found = Configuration()
    for requirement in requirements:
        members: Object = {}
        for name, scopes in requirement.items():
            scheme = _scheme(name, context)
            secrets = dict(_secrets(name, scheme, scopes, context)) if scheme else {}
            members[name] = list(secrets)
            properties |= secrets
            if scheme:
                found.schemes[name] = _wire_of(scheme.value, scopes)
            if not (
                scheme and _token_url(scheme.value)
            ):  # there, a token and a client are alternatives
                required += list(secrets)
        found.security.append(members)
    if authorization is not None and not _sets_authorization(found.schemes):
        requirements = _require_header(authorization, found, properties, required)
    if len([requirement for requirement in requirements if requirement]) > 1:
        pointer = pointer_join(operation.pointer, "security")
        context.report.rewritten(
            pointer, "The API accepts several kinds of credentials, so none of them is required."
        )
    if properties:
        found.schema = {"type": "object", "properties": properties}
        found.schema |= {"required": required} if required and len(requirements) == 1 else {}
    return found


def _sets_authorization(schemes: Object) -> bool:
    """Whether a security scheme sets the header `Authorization`."""
    for scheme in map(members_of, schemes.values()):
        is_key = scheme.get("type") == "apiKey"
        in_header = (
            scheme.get("in") == "header" and str(scheme.get("name")).lower() == "authorization"
        )
        if in_header or not is_key:
            return True
    return False


def _require_header(
    header: Part, found: Configuration, properties: Object, required: list[JSON]
) -> list[Object]:
    """Add the header to every requirement, beside which it may be left out unless it is required; return them all."""
    name = wanted = str(header.value["name"])
    while name in properties:
        name += "_header"
    scheme: Object = {"type": "apiKey", "in": "header", "name": wanted}
    described: Object = {**scheme, "description": header.value.get("description")}
    properties |= dict(_secrets(name, Part(described, header.pointer), None, None))
    found.schemes[name] = scheme
    before = [members_of(one) for one in found.security] or [{}]
    with_header: list[Object] = [{**one, name: [name]} for one in before]
    is_required = header.value.get("required") is True
    found.security = [*with_header, *([] if is_required else before)]
    if is_required:
        required.append(name)
    return with_header if is_required else [*with_header, *before]


# The URL


def _servers(document: Object, servers: JSON) -> Iterator[tuple[str, JSON]]:
    found = [server for server in items_of(servers) if isinstance(server, dict)]
    urls = [
        url for server in found[:MAX_SERVERS] if isinstance(url := server.get("url"), str) and url
    ]
    if not found and isinstance(document.get("host"), str):
        urls = list(_swagger_urls(document))
    if not urls:
        return
    secure = next((url for url in urls if url.lower().startswith("https://")), None)
    if secure is not None and urls[0].lower().startswith("http://"):
        urls = [secure, *urls]
    base: Object = {"type": "string", "description": "The base URL of the API.", "default": urls[0]}
    if len(urls) > 1:
        base["examples"] = [*dict.fromkeys(urls)]
    yield BASE_URL, base
    for server in found[:MAX_SERVERS]:
        for name, variable in members_of(server.get("variables")).items():
            if isinstance(variable, dict) and name != BASE_URL:
                yield name, _variable(name, variable)


def _swagger_urls(document: Object) -> Iterator[str]:
    schemes, path = document.get("schemes"), document.get("basePath")
    listed = [scheme for scheme in items_of(schemes) if isinstance(scheme, str)] or ["https"]
    for scheme in [scheme for scheme in listed if scheme in {"http", "https"}] or listed:
        yield f"{scheme}://{document['host']}{path if isinstance(path, str) and path != '/' else ''}"


def _variable(name: str, variable: Object) -> JSON:
    schema: Object = {"type": "string", "description": f"Replaces {{{name}}} in `{BASE_URL}`."}
    if isinstance(description := variable.get("description"), str):
        schema["description"] = description
    for keyword in ("enum", "default"):
        if keyword in variable:
            schema[keyword] = variable[keyword]
    return schema


# Secrets


def _scheme(name: str, context: Context) -> Part | None:
    """The security scheme `name`; None, with a report, if the document does not describe it."""
    parent, schemes = _schemes(context.document)
    consequence = f"The security scheme `{name}` is not defined."
    return context.resolve(schemes.get(name), pointer_join(parent, name), consequence)


def _secrets(
    name: str, part: Part, scopes: JSON, context: Context | None
) -> Iterator[tuple[str, JSON]]:
    """The members of the configuration for the security scheme `name`."""
    scheme = part.value
    scheme_type = str(scheme.get("type"))
    if scheme_type == "http":
        scheme_type = f"http {str(scheme.get('scheme')).lower()}"
    secrets = _SECRETS.get(
        scheme_type, _SECRETS["apiKey"] if scheme_type.startswith("http ") else ()
    )
    if _token_url(scheme):
        secrets += _CLIENT
    if not secrets and context is not None:
        context.report.dropped(
            part.pointer, f"`{name}` has the type `{scheme_type}`, which cannot be configured."
        )
    for suffix, template in secrets:
        explanation = template.format(
            name=scheme.get("name", "Authorization"), where=scheme.get("in", "header")
        )
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
    """The URL where a client gets a token for itself (the flow "client credentials"); "" without this flow."""
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
    if token_url := _token_url(scheme):
        wire["tokenUrl"] = token_url
        wire |= {"scopes": scopes} if isinstance(scopes, list) and scopes else {}
    return wire


def _schemes(document: Object) -> tuple[str, Object]:
    components = document.get("components")
    if isinstance(components, dict) and isinstance(
        schemes := components.get("securitySchemes"), dict
    ):
        return "/components/securitySchemes", schemes
    return "/securityDefinitions", members_of(document.get("securityDefinitions"))
