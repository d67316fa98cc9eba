"""The JSON API: its routers, one format of errors, and exact numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse
from ninja.errors import AuthenticationError, HttpError, ValidationError
from ninja.parser import Parser
from ninja.renderers import BaseRenderer

from accounts.audit_log.api import router as audit_router
from accounts.rate_limits import API_THROTTLES, limit_requests_of_address
from catalog.api import routers as catalog_routers
from config.error_pages import STATUSES, refusal_from
from config.openapi import DocumentedAPI
from config.problem_json import problem_response
from playground.api import router as playground_router
from playground.mcp.api import router as mcp_router
from toolshelf_core.api.renderer import text_of
from toolshelf_core.api.request_body import read_object
from toolshelf_core.errors import Busy, RevisionConflict
from toolspec.errors import DocumentError, SpecError
from toolspec.text.pointers import pointer_join

TOO_LARGE: Final = frozenset({"json.too-large", "upload.too-large", "upload.too-many"})
MAX_UNKNOWN_SHOWN: Final = 10  # query parameters in an error
MAX_NAME_SHOWN: Final = 100  # characters of each


class ExactParser(Parser):
    """Reads bodies with the strict JSON reader, whose error becomes the cause of ninja's 400."""

    def parse_body(self, request: HttpRequest) -> dict[str, Any]:
        return read_object(request.body)


class ExactRenderer(BaseRenderer):
    """Writes numbers exactly as they were uploaded."""

    media_type = "application/json"

    def render(
        self,
        request: HttpRequest,  # noqa: ARG002
        data: Any,
        *,
        response_status: int,  # noqa: ARG002
    ) -> str:
        return text_of(data)


api = DocumentedAPI(
    title="Toolshelf",
    version="1",
    description=(
        "Programs can do here what people do on the site's pages, except manage accounts. Anyone "
        "who can reach the site can read the catalog, unless the site requires signing in. Changes "
        "and runs need `Authorization: Bearer …` with a token, which you create on the page *API "
        "tokens* or with `manage.py create_token`.\n\n"
        "A token has scopes. With `publish` it can upload, change, archive and restore tools, and "
        "save its user's own runs as examples. With `run` it can run tools, check their examples, "
        "repeat and cancel runs, read its user's own runs, and manage its user's saved "
        "configurations. With `read` it can read all runs that its user may see. With `admin` it "
        "can read and manage sources and webhooks and read the audit log, if its user is an "
        "administrator. Operations that need no token also accept any valid token; an unknown, "
        "expired or revoked token gets 401 everywhere.\n\n"
        "Errors are `application/problem+json` (RFC 9457); each of their `errors` has a JSON "
        "Pointer into the request. A query parameter or a member of a body that an operation does "
        "not have is refused. Lists return `next`, the cursor of the next page, or null on the "
        "last page.\n\n"
        "Requests are limited by person, or without a token by address; uploads and run starts "
        "have limits of their own. Responses have the limits in `RateLimit-Policy` (`q` requests "
        "in `w` seconds) and what remains of them in `RateLimit` (`r` requests; the full number "
        "again in `t` seconds), as draft-ietf-httpapi-ratelimit-headers describes. A request above "
        "a limit gets 429 with `Retry-After`, and does not count. Each response has an "
        "`X-Request-ID`, which the server's log repeats."
    ),
    docs_url=None,  # the site's own page reads the same document: config.api_docs
    openapi_url="/openapi.json",
    urls_namespace="api",
    parser=ExactParser(),
    renderer=ExactRenderer(),
    throttle=API_THROTTLES,
)


def refuse_unknown_parameters(view: Callable[..., Any]) -> Callable[..., Any]:
    """Answer 422 to query parameters that the operation of `view` does not have.

    They would be ignored otherwise: with `?toolkits=weather`, a list would look filtered.
    """
    known: list[str] = []
    for model in view._ninja_operation.models:  # type: ignore[attr-defined]
        if model.__ninja_param_source__ == "query":
            known += model.__ninja_flatten_map__
    names = ", ".join(map(repr, known)) or "none"

    @wraps(view)
    def checked_view(request: HttpRequest, **values: Any) -> Any:
        unknown = [name for name in request.GET if name not in known]
        if not unknown:
            return view(request, **values)
        errors = []
        for name in unknown[:MAX_UNKNOWN_SHOWN]:
            short_name = name[:MAX_NAME_SHOWN]
            message = f"{short_name!r} is unknown; this operation takes {names}"
            errors.append({"loc": ("query", short_name), "msg": message, "type": "extra_forbidden"})
        raise ValidationError(errors)

    return checked_view


api.add_decorator(refuse_unknown_parameters)
for router in (*catalog_routers, audit_router, playground_router, mcp_router):
    api.add_router("", router)


@api.exception_handler(DocumentError)
def refuse_document(request: HttpRequest, error: DocumentError) -> HttpResponse:  # noqa: ARG001
    first = error.problems[0]
    status = 422
    if any(problem.rule in TOO_LARGE for problem in error.problems):
        status = 413
    elif first.rule.startswith("json."):
        status = 400
    detail = first.message
    if len(error.problems) > 1:
        kind = "spec" if isinstance(error, SpecError) else "document"
        detail = f"This {kind} has {len(error.problems)} problems."
    errors = [problem.as_json() for problem in error.problems]
    return problem_response(status, detail, errors=errors)


@api.exception_handler(RevisionConflict)
def refuse_conflict(request: HttpRequest, error: RevisionConflict) -> HttpResponse:
    status = 412 if "If-Match" in request.headers else 409
    return problem_response(status, str(error))


for kind in STATUSES:
    api.exception_handler(kind)(refusal_from)


@api.exception_handler(Http404)
def refuse_missing(request: HttpRequest, error: Http404) -> HttpResponse:  # noqa: ARG001
    return problem_response(404, "Nothing was found at this URL, or you do not have access to it.")


@api.exception_handler(AuthenticationError)
def request_credentials(request: HttpRequest, _error: AuthenticationError) -> HttpResponse:
    try:
        limit_requests_of_address(request)
    except Busy as busy:
        return refusal_from(request, busy)
    detail = "Sign in, or send 'Authorization: Bearer …' with a valid token of this site."
    return problem_response(401, detail, headers={"WWW-Authenticate": 'Bearer realm="Toolshelf"'})


@api.exception_handler(HttpError)
def refuse(request: HttpRequest, error: HttpError) -> HttpResponse:
    if isinstance(error.__cause__, DocumentError):
        return refuse_document(request, error.__cause__)
    return problem_response(error.status_code, error.message)


@api.exception_handler(ValidationError)
def refuse_invalid(request: HttpRequest, error: ValidationError) -> HttpResponse:  # noqa: ARG001
    """Explain errors in the path, the query or the body, without repeating the input itself."""
    errors = []
    for fault in error.errors:
        location, *names = fault.get("loc", ())
        where = f"{location} parameter"
        if location == "body":
            where = "body"
            # It begins with the name of the view's argument, which is not part of the request.
            names = names[1:]
        errors.append(
            {
                "pointer": pointer_join("", *names),
                "message": f"{fault['msg']} ({where})",
                "rule": f"request.{fault['type']}",
            }
        )
    detail = errors[0]["message"] if errors else "The request is not valid."
    return problem_response(422, detail, errors=errors)
