"""The rights of each role: every URL, every operation of the API and every method of MCP, for each kind of person.

The lists come from the URL conf and from the OpenAPI document, so an endpoint without a rule here fails.
"""

from __future__ import annotations

import json
import re

import pytest
from django.db import transaction
from django.urls import get_resolver, reverse

from config.api_docs import api_document
from config.former_urls import redirect_to, redirect_to_comparison
from playground.runs.models import Run
from tests.conftest import Program
from tests.factories import make_token
from tests.playground.mcp.agent import Agent
from tests.rights.conftest import PERSONAS, spec_of
from toolshelf_core.audit import AuditEvent

EVERYONE = set(PERSONAS)
SIGNED_IN = EVERYONE - {"anonymous"}
RUN = SIGNED_IN - {"reader"}
PUBLISH = RUN - {"runner"}
MAINTAIN = {"owner", "administrator"}
ADMINISTER = {"administrator"}
NOBODY: set[str] = set()

# Private pages answer 404 to everyone else; pages that are only not allowed answer 403.
PRIVATE = "private"

# By the name of the URL: who may get it, who may post to it, and the name of its parameters' values. Nobody: the method
# is not supported.
PAGES = {
    "home": (EVERYONE, NOBODY),
    "tool_list": (EVERYONE, NOBODY),
    "facets": (EVERYONE, NOBODY),
    "palette": (EVERYONE, NOBODY),
    "suggestions": (EVERYONE, NOBODY),
    "add": (EVERYONE, PUBLISH),
    "add_preview": (NOBODY, PUBLISH),
    "upload_report": ("own upload", NOBODY),
    "sources": (SIGNED_IN, NOBODY),
    "source": (SIGNED_IN, NOBODY),
    "source_settings": (NOBODY, ADMINISTER),
    "source_sync": (NOBODY, ADMINISTER),
    "source_remove": (NOBODY, ADMINISTER),
    "review_list": (SIGNED_IN, NOBODY),
    "review": ("proposal", "decision"),
    "change_calls": ("proposal", NOBODY),
    "revision_calls": (SIGNED_IN, NOBODY),
    "audit": (ADMINISTER, NOBODY),
    "audit_export": (ADMINISTER, NOBODY),
    "webhooks": (ADMINISTER, ADMINISTER),
    "webhook": (ADMINISTER, ADMINISTER),
    "webhook_delivery": (ADMINISTER, ADMINISTER),
    "lint_rules": (EVERYONE, NOBODY),
    "lint_rule": (EVERYONE, NOBODY),
    "organise_matches": (SIGNED_IN, SIGNED_IN),
    "compare_tools": (EVERYONE, NOBODY),
    "toolkit_settings": (EVERYONE, ADMINISTER),
    "people": (ADMINISTER, NOBODY),
    "add_person": (ADMINISTER, ADMINISTER),
    "people_groups": (NOBODY, ADMINISTER),
    "person": (ADMINISTER, ADMINISTER),
    "person_link": (NOBODY, ADMINISTER),
    "tool": (EVERYONE, NOBODY),
    "star": (NOBODY, SIGNED_IN),
    "tool_settings": (MAINTAIN, MAINTAIN),
    "tool_lint": (EVERYONE, NOBODY),
    "lint_fixes": (NOBODY, PUBLISH),
    "lint_changes": (EVERYONE, NOBODY),
    "lint_waivers": (NOBODY, MAINTAIN),
    "lint_waiver_remove": (NOBODY, MAINTAIN),
    "formats": (EVERYONE, NOBODY),
    "format": (EVERYONE, NOBODY),
    "similar": (EVERYONE, NOBODY),
    "tool_changes": (EVERYONE, NOBODY),
    "revision_diff": (EVERYONE, NOBODY),
    "restore_revision": (EVERYONE, MAINTAIN),
    "demonstration": (NOBODY, EVERYONE),
    "try": (EVERYONE, RUN),
    "edit": (PUBLISH, PUBLISH),
    "completions": (EVERYONE, NOBODY),
    "tests": (EVERYONE, RUN),
    "tool_runs": (SIGNED_IN, NOBODY),
    "runs": (SIGNED_IN, NOBODY),
    "run_comparison": (PRIVATE, PRIVATE),
    "run": (PRIVATE, NOBODY),
    "run_cancel": (NOBODY, PRIVATE),
    "run_again": (NOBODY, PRIVATE),
    "run_share": (NOBODY, PRIVATE),
    "run_download": (PRIVATE, NOBODY),
    "response_download": (PRIVATE, NOBODY),
    "run_file": (PRIVATE, NOBODY),
    "save_example": (PRIVATE, PRIVATE),
    "connect": (EVERYONE, SIGNED_IN),
    "connect_tool": (EVERYONE, SIGNED_IN),
    "choose_tool_configuration": (NOBODY, SIGNED_IN),
    "connect_toolkit": (EVERYONE, SIGNED_IN),
    "mcp": (NOBODY, "token"),
    "mcp_toolkit": (NOBODY, "token"),
    "factories": (EVERYONE, ADMINISTER),
    "new_factory": (EVERYONE, NOBODY),
    "factory_spec": (EVERYONE, PUBLISH),
    "account": (SIGNED_IN, NOBODY),
    "remove_configuration": (NOBODY, "own saved"),
    "help": (EVERYONE, NOBODY),
    "help_page": (EVERYONE, NOBODY),
    "sign_in": (EVERYONE, EVERYONE),
    "account_login": (EVERYONE, EVERYONE),
    "mfa_authenticate": (EVERYONE, EVERYONE),
    "mfa_login_webauthn": (EVERYONE, EVERYONE),
    "oidc_start": (NOBODY, NOBODY),  # no provider in this world: see tests/catalog/accounts/oidc
    "oidc_callback": (NOBODY, NOBODY),
    "oidc_unlink": (NOBODY, "missing"),
    "account_reauthenticate": (SIGNED_IN, SIGNED_IN),
    "mfa_index": (SIGNED_IN, NOBODY),
    "mfa_reauthenticate": (SIGNED_IN, SIGNED_IN),
    "mfa_reauthenticate_webauthn": (SIGNED_IN, SIGNED_IN),
    "mfa_activate_totp": (SIGNED_IN, SIGNED_IN),
    "mfa_deactivate_totp": ("missing", "missing"),
    "mfa_view_recovery_codes": ("missing", NOBODY),
    "mfa_generate_recovery_codes": (SIGNED_IN, SIGNED_IN),
    "mfa_list_webauthn": (EVERYONE, EVERYONE),  # leads to mfa_index
    "mfa_add_webauthn": (NOBODY, NOBODY),  # passkeys need HTTPS, which this world has not
    "mfa_edit_webauthn": (
        SIGNED_IN,
        SIGNED_IN,
    ),  # leads to the page that asks for the password again
    "mfa_remove_webauthn": (SIGNED_IN, SIGNED_IN),
    "sign_in_by_link": (EVERYONE, EVERYONE),
    "sign_out": (NOBODY, EVERYONE),
    "sessions": (SIGNED_IN, NOBODY),
    "end_session": (NOBODY, "missing"),
    "sign_out_everywhere": (NOBODY, SIGNED_IN),
    "password": (SIGNED_IN, SIGNED_IN),
    "tokens": (SIGNED_IN, SIGNED_IN),
    "revoke_token": (NOBODY, "own token"),
    "package": (EVERYONE, NOBODY),
    "healthz": (EVERYONE, NOBODY),
    "readyz": (EVERYONE, NOBODY),
    "metrics": (ADMINISTER, NOBODY),
    "api_docs": (EVERYONE, NOBODY),
    "/mcp/": (NOBODY, "token"),
    "/api/v1/openapi.json": (EVERYONE, NOBODY),
    "/favicon.ico": (EVERYONE, NOBODY),
    "/robots.txt": (EVERYONE, NOBODY),
}
ALLOWED = {
    PRIVATE: (MAINTAIN, 404),
    "missing": (NOBODY, 404),
    "proposal": ({"publisher", "owner", "administrator"}, 404),
    "decision": (MAINTAIN, {"publisher": 403, "": 404}),
    "own token": ({"owner"}, 404),
    "own upload": ({"owner"}, 404),
    "own saved": ({"owner"}, 404),
    "token": (NOBODY, 401),
}
# Parameters that mean something else at these URLs.
VALUES = {
    "upload_report": {"pk": "upload"},
    "remove_configuration": {"pk": "configuration"},
    "review": {"pk": "change"},
    "change_calls": {"pk": "change"},
    "toolkit_settings": {"name": "toolkit"},
    "person": {"pk": "person"},
    "person_link": {"pk": "person"},
    "revoke_token": {"pk": "token"},
    **{name: {"pk": "webhook"} for name in PAGES if name.startswith("webhook")},
    "mfa_edit_webauthn": {"pk": "passkey"},
    "mfa_remove_webauthn": {"pk": "passkey"},
    "factory_spec": {"name": "factory"},
    "help_page": {"slug": "document"},
    "package": {"name": "package"},
}
POSTED = {
    "add": {"text": spec_of("kit.mine", examples=[])},
    "add_preview": {"text": spec_of("kit.mine", examples=[])},
    "try": {"run": "1"},
    "add_person": {"name": "newcomer", "role": "runner"},
    "people_groups": {"name": "team"},
    "person": {"role": "runner"},
    "toolkit_settings": {"visibility": "everyone"},
    "lint_waivers": {"rule": "description-vague", "reason": "Fine."},
    "lint_fixes": {"seen": "2", "safe": "1"},
    "review": {"decision": "reject"},
}
NEVER_POSTED = {"source_sync"}  # it starts a thread, which the transaction of a test would block


def urls(patterns, prefix="", namespace=""):
    for one in patterns:
        route = f"{prefix}{one.pattern}"
        if hasattr(one, "url_patterns"):
            yield from urls(one.url_patterns, route, one.namespace or namespace)
        elif namespace != "api" and one.callback not in {redirect_to, redirect_to_comparison}:
            yield namespace, one.name or f"/{route}", one


ROUTES = list(urls(get_resolver().url_patterns))
OWN = [(namespace, name) for namespace, name, _ in ROUTES if namespace != "admin"]


def test_every_url_has_a_rule():
    assert {name for _, name in OWN} == PAGES.keys()


@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize(("namespace", "name"), OWN, ids=[name for _, name in OWN])
def test_pages(world, namespace, name, method, monkeypatch):
    rule = PAGES[name][method == "post"]
    if name in NEVER_POSTED and method == "post":
        monkeypatch.setattr("catalog.sources.views.sync_in_background", lambda source, by: None)
    for persona in PERSONAS:
        with transaction.atomic():
            url = url_of(namespace, name, world)
            posted = {"data": POSTED.get(name, {})} if method == "post" else {}
            response = getattr(world.client(persona), method)(url, **posted)
            transaction.set_rollback(True)
        expected, refusals = (
            ALLOWED.get(rule, (rule, 403)) if isinstance(rule, str) else (rule, 403)
        )
        check(
            response,
            persona,
            expected,
            refusals,
            is_supported=rule != NOBODY,
            is_open="anonymous" in expected,
        )


@pytest.mark.parametrize("persona", sorted(EVERYONE - RUN))
def test_a_mock_is_not_stored_for_those_who_may_not_run(world, persona):
    runs = Run.objects.count()

    posted = {"run": "1", "mode": "mock", "parameters:e:": "{}"}
    response = world.client(persona).post(url_of("playground", "try", world), posted)

    check(response, persona, {persona}, 403, is_supported=True, is_open=True)
    assert "This mock was not saved." in response.content.decode()
    assert Run.objects.count() == runs


def url_of(namespace, name, world):
    if name.startswith("/"):
        return name
    [pattern] = [one for space, named, one in ROUTES if (space, named) == (namespace, name)]
    values = {
        key: world.values[VALUES.get(name, {}).get(key, key)] for key in pattern.pattern.converters
    }
    return reverse(f"{namespace}:{name}" if namespace else name, kwargs=values)


def check(response, persona, expected, refusals, *, is_supported, is_open):
    outcome = outcome_of(response)
    if not is_supported:
        assert response.status_code in {302, 401, 403, 404, 405}, (persona, response.status_code)
    elif persona in expected:
        assert outcome == "allowed", (persona, response.status_code, response.content[:300])
    elif persona == "anonymous":
        assert outcome == "sign in", (persona, response.status_code)
    else:
        refusal = (
            refusals.get(persona, refusals.get("")) if isinstance(refusals, dict) else refusals
        )
        assert response.status_code == refusal, (
            persona,
            response.status_code,
            response.content[:300],
        )
        if refusal == 403:
            assert re.search(r"Only .* can |do not give access", response.content.decode()), (
                response.content[:300]
            )


def outcome_of(response):
    if response.status_code == 401 or (
        response.status_code == 302 and "/sign-in/?next=" in response["Location"]
    ):
        return "sign in"
    assert response.status_code < 500, response.content[:500]
    return "refused" if response.status_code in {403, 404, 405} else "allowed"


@pytest.mark.parametrize("name", [name for namespace, name, _ in ROUTES if namespace == "admin"])
def test_only_administrators_use_the_admin(world, name):
    routes = [one for namespace, named, one in ROUTES if (namespace, named) == ("admin", name)]
    values = {
        "object_id": str(world.people["reader"].pk),
        "id": "1",
        "content_type_id": 1,
        "app_label": "accounts",
    }
    for one in routes:
        given = {key: values.get(key, "1") for key in one.pattern.converters}
        if name == "app_list":
            given = {"app_label": "accounts"}
        if name.startswith("/") or "url" in given:
            continue
        for persona in PERSONAS[:-1]:
            response = world.client(persona).get(reverse(f"admin:{name}", kwargs=given))
            assert response.status_code != 200 or name in {"login", "logout", "jsi18n"}, (
                persona,
                name,
            )


# -- the API ----------------------------------------------------------------------------------------------------------

# Rules by operation, where "a token with the right scope" is not enough. "Proposal": others get 202 instead.
OPERATIONS = {
    "POST /uploads": PUBLISH,
    "GET /uploads/{upload}": "own upload",
    "POST /tools": PUBLISH,
    "PUT /tools/{slug}": PUBLISH,
    "POST /tools/{slug}/revisions/{number}/restore": MAINTAIN,
    "PUT /tools/{slug}/star": SIGNED_IN,
    "DELETE /tools/{slug}/star": SIGNED_IN,
    "PATCH /tools/{slug}": MAINTAIN,
    "DELETE /tools/{slug}": MAINTAIN,
    "PUT /tools/{slug}/deprecation": MAINTAIN,
    "DELETE /tools/{slug}/deprecation": MAINTAIN,
    "POST /tools/{slug}/restore": MAINTAIN,
    "PUT /tools/{slug}/access": MAINTAIN,
    "GET /tools/{slug}/access": MAINTAIN,
    "PUT /toolkits/{name}/access": ADMINISTER,
    "GET /toolkits/{name}/access": ADMINISTER,
    "POST /tools/{slug}/lint/fixes": PUBLISH,
    "POST /tools/{slug}/lint/waivers": MAINTAIN,
    "DELETE /tools/{slug}/lint/waivers/{waiver}": MAINTAIN,
    "GET /sources": SIGNED_IN,
    "POST /sources": ADMINISTER,
    "GET /sources/{name}": SIGNED_IN,
    "PATCH /sources/{name}": ADMINISTER,
    "DELETE /sources/{name}": ADMINISTER,
    "POST /sources/{name}/sync": ADMINISTER,
    "GET /sources/{name}/syncs": SIGNED_IN,
    "GET /sources/{name}/syncs/{sync}": SIGNED_IN,
    "GET /sources/{name}/tools": SIGNED_IN,
    "GET /sources/{name}/changes": SIGNED_IN,
    "GET /sources/{name}/changes/{change}": "missing",
    "POST /sources/{name}/changes/{change}/approve": "missing",
    "POST /sources/{name}/changes/{change}/reject": "missing",
    "GET /changes": SIGNED_IN,
    "GET /changes/{change}": "proposal",
    "POST /changes/{change}/approve": "decision",
    "POST /changes/{change}/reject": "decision",
    "POST /factories/rescan": ADMINISTER,
    "GET /audit-events": ADMINISTER,
    "GET /webhooks": ADMINISTER,
    "POST /webhooks": ADMINISTER,
    "GET /webhooks/{webhook}": ADMINISTER,
    "PATCH /webhooks/{webhook}": ADMINISTER,
    "DELETE /webhooks/{webhook}": ADMINISTER,
    "POST /webhooks/{webhook}/secret": ADMINISTER,
    "POST /webhooks/{webhook}/test": ADMINISTER,
    "GET /webhooks/{webhook}/deliveries": ADMINISTER,
    "POST /webhooks/{webhook}/deliveries/{delivery}/send": ADMINISTER,
    "POST /tools/{slug}/example-checks": RUN,
    "POST /runs/{run_id}/again": PRIVATE,
    "POST /runs/{run_id}/example": PRIVATE,
    "POST /tools/{slug}/runs": RUN,
    "GET /runs": SIGNED_IN,
    "POST /specs/check-calls": SIGNED_IN,
    "GET /runs/{run_id}": PRIVATE,
    "GET /runs/{run_id}/file": PRIVATE,
    "PUT /runs/{run_id}/groups": PRIVATE,
    "POST /runs/{run_id}/cancel": PRIVATE,
    "GET /tools/{slug}/configurations": RUN,
    "POST /tools/{slug}/configurations": RUN,
    "DELETE /tools/{slug}/configurations/{name}": "own configuration",
    "PATCH /tools/{slug}/configurations/{name}": "own configuration",
    "PUT /tools/{slug}/configurations/{name}/groups": "own configuration",
    "GET /tools/{slug}/inputs": RUN,
    "POST /tools/{slug}/inputs": RUN,
    "DELETE /tools/{slug}/inputs/{name}": "own configuration",
    "GET /tools/{slug}/mcp-configuration": SIGNED_IN,
    "PUT /tools/{slug}/mcp-configuration": SIGNED_IN,
}
ALLOWED["own configuration"] = ({"owner"}, {"reader": 403, "": 404})
BODIES = {
    "POST /tools": spec_of("kit.mine", examples=[]),
    "PUT /tools/{slug}": spec_of("kit.mine", examples=[]),
    "POST /uploads": spec_of("kit.mine", examples=[]),
    "POST /specs/check": spec_of("new"),
    "POST /specs/check-calls": spec_of("new"),
    "POST /webhooks": '{"url": "https://example.com/", "events": ["tool.created"]}',
    "PATCH /webhooks/{webhook}": '{"events": ["tool.created"]}',
    "PATCH /tools/{slug}/configurations/{name}": '{"visibility": "everyone"}',
    "POST /runs/{run_id}/again": "{}",
    "POST /tools/{slug}/example-checks": "{}",
    "POST /sources/{name}/sync": "",
    "PATCH /tools/{slug}": (
        '{"add_tags": ["outdoors"], "owner": "ada", "remove_tags": [], "toolkit": "Weather"}'
    ),
    "PUT /tools/{slug}/deprecation": (
        '{"note": "It does not return forecasts.", "superseded_by": "weather.forecast"}'
    ),
    "POST /tools/{slug}/lint/fixes": '{"fixes": ["0c6f1a2b3d4e"], "revision": 3}',
    "POST /tools/{slug}/lint/waivers": (
        '{"pointer": "/definition/name", "reason": "Known by it.", "rule": "name-not-portable"}'
    ),
    "POST /sources": (
        '{"address": "https://api.example.com/openapi.json", "kind": "openapi", "name": "weather"}'
    ),
    "PATCH /sources/{name}": '{"every_minutes": 60, "policy": "review"}',
    "POST /sources/{name}/changes/{change}/approve": '{"seen": 3}',
    "POST /changes/{change}/approve": '{"seen": 3}',
    "PUT /runs/{run_id}/groups": '{"groups": []}',
    "PUT /tools/{slug}/configurations/{name}/groups": '{"groups": []}',
    "POST /tools/{slug}/configurations": '{"configuration": {}, "name": "work"}',
    "POST /runs/{run_id}/example": '{"description": "Snow", "revision": 1}',
    "POST /tools/{slug}/inputs": '{"name": "New York", "parameters": {}}',
    "POST /tools/{slug}/runs": '{"parameters": {}}',
}
DOCUMENT = json.loads(api_document().text)
OPERATIONS_THERE = [
    (method.upper(), path.removeprefix("/api/v1"), operation)
    for path, operations in DOCUMENT["paths"].items()
    for method, operation in operations.items()
]
IDS = [f"{method} {path}" for method, path, _ in OPERATIONS_THERE]


def needs_token(operation):
    return {} not in operation.get("security", [{}])


def test_every_operation_that_needs_a_token_has_a_rule():
    needing = {
        f"{method} {path}" for method, path, operation in OPERATIONS_THERE if needs_token(operation)
    }

    assert needing == OPERATIONS.keys()


@pytest.mark.parametrize(("method", "path", "operation"), OPERATIONS_THERE, ids=IDS)
def test_operations(world, method, path, operation, monkeypatch):
    rule = OPERATIONS.get(f"{method} {path}", EVERYONE)
    expected, refusals = ALLOWED[rule] if isinstance(rule, str) else (rule, 403)
    for persona in PERSONAS:
        with transaction.atomic():
            response = called(world, persona, method, path, operation)
            transaction.set_rollback(True)
        check(response, persona, expected, refusals, is_supported=True, is_open=False)


def scopes_of(operation):
    return {scope for one in operation.get("security", ()) for scope in one.get("Token", ())}


WITH_SCOPES = [one for one in OPERATIONS_THERE if scopes_of(one[2])]


@pytest.mark.parametrize(
    ("method", "path", "operation"),
    WITH_SCOPES,
    ids=[f"{method} {path}" for method, path, _ in WITH_SCOPES],
)
def test_a_token_without_the_scope_is_refused(world, method, path, operation):
    needed = scopes_of(operation)
    lacking = [scope for scope in ("read", "publish", "run", "admin") if scope not in needed]
    world.tokens["administrator"] = make_token(*lacking, user=world.people["administrator"])

    response = called(world, "administrator", method, path, operation)

    assert response.status_code == 403
    assert "lacks the scope" in response.json()["detail"]


def called(world, persona, method, path, operation, *, query="", **unknown_members):
    program = Program(world.tokens.get(persona))
    values = dict(world.values)
    if path.startswith("/toolkits/"):
        values["name"] = "kit"
    if "/configurations/" in path or "/inputs/" in path:
        values["name"] = "work"
    if path.startswith("/factories/"):
        values["key"] = values["factory"]
    address = re.sub(r"\{(\w+)\}", lambda found: str(values[found[1]]), path)
    body = BODIES.get(f"{method} {path}", example_of(operation))
    if unknown_members:
        body = json.dumps(json.loads(body or "{}") | unknown_members)
    headers = {"If-Match": "*"}
    required = (
        "from=1&to=2" if path.endswith("/diff") else "number=1" if path.endswith("/file") else ""
    )
    return program.send(method, f"{address}?{required}&{query}", body, **headers)


def example_of(operation):
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    schema = content.get("schema", {})
    for one in (schema, *schema.get("anyOf", ())):
        if reference := one.get("$ref"):
            return json.dumps(
                DOCUMENT["components"]["schemas"][reference.rpartition("/")[2]].get("example", {})
            )
    return json.dumps(schema.get("example", {})) if content else ""


# -- names that no operation has --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("method", "path", "operation"), OPERATIONS_THERE, ids=IDS)
def test_an_unknown_query_parameter_is_refused_and_nothing_is_done(world, method, path, operation):
    accepted = [one["name"] for one in operation["parameters"] if one["in"] == "query"]
    before = AuditEvent.objects.count()

    response = called(world, "administrator", method, path, operation, query="surprise=1")

    assert response.status_code == 422
    [error] = response.json()["errors"]
    assert (error["pointer"], error["rule"]) == ("/surprise", "request.extra_forbidden")
    assert "'surprise' is unknown" in error["message"]
    assert all(f"'{name}'" in error["message"] for name in accepted)
    assert AuditEvent.objects.count() == before


def schema_of_body(operation):
    """The schema of an operation's body among the components; None if it has none there: bodies that are specs."""
    content = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    schema = content.get("schema", {})
    references = [one["$ref"] for one in (schema, *schema.get("anyOf", ())) if "$ref" in one]
    return (
        DOCUMENT["components"]["schemas"][references[0].rpartition("/")[2]] if references else None
    )


WITH_BODY = [one for one in OPERATIONS_THERE if schema_of_body(one[2])]


@pytest.mark.parametrize(
    ("method", "path", "operation"),
    WITH_BODY,
    ids=[f"{method} {path}" for method, path, _ in WITH_BODY],
)
def test_an_unknown_member_of_a_body_is_refused(world, method, path, operation):
    assert schema_of_body(operation)["additionalProperties"] is False

    response = called(world, "administrator", method, path, operation, surprise=1)

    assert response.status_code == 422
    errors = response.json()["errors"]
    assert ("/surprise", "request.extra_forbidden") in [
        (error["pointer"], error["rule"]) for error in errors
    ]


# -- MCP --------------------------------------------------------------------------------------------------------------

CALL = {"name": "call_tool", "arguments": {"tool": "kit.mine"}}
MESSAGES = {
    "initialize": (
        {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "a", "version": "1"},
        }
    ),
    "ping": None,
    "tools/list": None,
    "tools/call": {"name": "search_tools", "arguments": {"query": "does"}},
}


@pytest.mark.parametrize("persona", PERSONAS)
def test_mcp_needs_a_token_and_shows_the_catalog(world, client, persona):
    for method, message in MESSAGES.items():
        response = Agent(client, world.tokens.get(persona)).request(method, message)

        assert response.status_code == (401 if persona == "anonymous" else 200)


@pytest.mark.parametrize("persona", [one for one in PERSONAS if one != "anonymous"])
def test_mcp_calls_tools_for_those_who_may_run_them(world, client, persona):
    response = Agent(client, world.tokens[persona]).request("tools/call", CALL)

    text = json.dumps(response.json())
    assert ("Only people in the groups runner" in text) == (persona not in RUN)
