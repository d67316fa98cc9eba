"""What one must have to call an API: where it is, and the secrets that it asks for.

Sources: OpenAPI 3.1.1, "Server Object", "Security Scheme Object", "Security Requirement Object"; Swagger 2.0, the like.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from catalog.jsontext.pointers import pointer_join
from catalog.jsontext.reader import JSON
from catalog.specs.importers.openapi.parts import Context, Part
from catalog.specs.importers.results import Object

BASE_URL: Final = "baseUrl"
MAX_SERVERS: Final = 50


def configuration_of(item: Part, operation: Part, context: Context) -> tuple[Object | None, list[JSON]]:
    """The schema of the configuration that `operation` needs, and its security requirements by member.

    None where nothing is to be configured.
    """
    document = context.document
    servers = operation.value.get("servers", item.value.get("servers", document.get("servers")))
    properties: Object = dict(_servers(document, servers))
    required: list[JSON] = []
    needs = operation.value.get("security", document.get("security"))
    requirements = [need for need in needs if isinstance(need, dict)] if isinstance(needs, list) else []
    members_of_needs: list[JSON] = []
    for requirement in requirements:
        members: Object = {}
        for scheme, scopes in requirement.items():
            secrets = dict(_secrets(scheme, scopes, context))
            members[scheme] = list(secrets)
            properties |= secrets
        members_of_needs.append(members)
    if len(requirements) == 1:
        required = [name for members in members_of_needs if isinstance(members, dict) for name in _names(members)]
    elif len([need for need in requirements if need]) > 1:
        place = pointer_join(operation.pointer, "security")
        context.report.rewritten(place, "There are several ways to sign in; none of their secrets is required.")
    if not properties:
        return None, members_of_needs
    schema: Object = {"type": "object", "properties": properties}
    return (schema | {"required": required} if required else schema), members_of_needs


def _names(members: Object) -> Iterator[JSON]:
    for names in members.values():
        yield from names if isinstance(names, list) else ()


# Where it is


def _servers(document: Object, servers: JSON) -> Iterator[tuple[str, JSON]]:
    found = [server for server in servers if isinstance(server, dict)] if isinstance(servers, list) else []
    urls = [url for server in found[:MAX_SERVERS] if isinstance(url := server.get("url"), str) and url]
    if not found and isinstance(document.get("host"), str):
        urls = list(_swagger_urls(document))
    if not urls:
        return
    base: Object = {"type": "string", "description": "Where the API is.", "default": urls[0]}
    if len(urls) > 1:
        base["examples"] = [*dict.fromkeys(urls)]
    yield BASE_URL, base
    for server in found[:MAX_SERVERS]:
        variables = server.get("variables")
        for name, variable in variables.items() if isinstance(variables, dict) else ():
            if isinstance(variable, dict) and name != BASE_URL:
                yield name, _variable(name, variable)


def _swagger_urls(document: Object) -> Iterator[str]:
    schemes, path = document.get("schemes"), document.get("basePath")
    for scheme in schemes if isinstance(schemes, list) and schemes else ["https"]:
        yield f"{scheme}://{document['host']}{path if isinstance(path, str) and path != '/' else ''}"


def _variable(name: str, variable: Object) -> JSON:
    schema: Object = {"type": "string", "description": f"Stands for {{{name}}} in `{BASE_URL}`."}
    if isinstance(description := variable.get("description"), str):
        schema["description"] = description
    for keyword in ("enum", "default"):
        if keyword in variable:
            schema[keyword] = variable[keyword]
    return schema


# What it asks for


def _secrets(name: str, scopes: JSON, context: Context) -> Iterator[tuple[str, JSON]]:
    """The members of the configuration that the security scheme `name` asks for."""
    pointer, schemes = _schemes(context.document)
    place = pointer_join(pointer, name)
    found = context.followed(schemes.get(name), place, f"The security scheme `{name}` is not described.")
    if found is None:
        return
    scheme = found.value
    kind = str(scheme.get("type"))
    if kind == "http":
        kind = f"http {str(scheme.get('scheme')).lower()}"
    asked = _ASKED.get(kind, _ASKED["apiKey"] if kind.startswith("http ") else ())
    if not asked:
        context.report.dropped(place, f"Nothing can be configured for `{name}`, which is of the type `{kind}`.")
    for suffix, what in asked:
        explanation = what.format(name=scheme.get("name", "Authorization"), where=scheme.get("in", "header"))
        if isinstance(scopes, list) and scopes:
            explanation += f" Scopes: {', '.join(map(str, scopes))}."
        members_of_needs = scheme.get("description")
        yield (
            f"{name}{suffix}",
            {
                "type": "string",
                "description": f"{members_of_needs.strip().rstrip('.')}. {explanation}"
                if isinstance(members_of_needs, str) and members_of_needs.strip()
                else explanation,
                "writeOnly": True,
            },
        )


_ASKED: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    "apiKey": (("", "Sent as `{name}` ({where})."),),
    "http bearer": (("", "A token, sent as `Authorization: Bearer …`."),),
    "http basic": (("Username", "The name to sign in with."), ("Password", "The password to sign in with.")),
    "basic": (("Username", "The name to sign in with."), ("Password", "The password to sign in with.")),
    "oauth2": (("", "An access token of OAuth 2, sent as `Authorization: Bearer …`."),),
    "openIdConnect": (("", "An access token of OpenID Connect, sent as `Authorization: Bearer …`."),),
}


def _schemes(document: Object) -> tuple[str, Object]:
    components = document.get("components")
    if isinstance(components, dict) and isinstance(schemes := components.get("securitySchemes"), dict):
        return "/components/securitySchemes", schemes
    schemes = document.get("securityDefinitions")
    return "/securityDefinitions", schemes if isinstance(schemes, dict) else {}
