"""Answer messages to the MCP server: authenticate, then send JSON or a stream."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_variables

from accounts.models import ApiToken
from accounts.rate_limits import limit_api_requests, limit_requests_of_address, limit_unsaved_mocks
from accounts.tokens import find_token
from playground.mcp import calls, sessions
from playground.mcp.calls import Caller
from playground.mcp.catalog_tools import CatalogTools
from playground.mcp.methods import dispatch, negotiated_version
from playground.mcp.protocol import (
    INVALID_REQUEST,
    Message,
    ProtocolError,
    error_text,
    quote,
    read_message,
    response_text,
)
from playground.mcp.streams import CONTENT_TYPE, PendingCall
from playground.mcp.toolkit_tools import ToolkitTools
from playground.mcp.toolsets import Toolset

JSON_TYPE: Final = "application/json"
MOCK_VALUES: Final = {"1", "true", "yes"}
UNAUTHENTICATED: Final = (
    "Send 'Authorization: Bearer …' with a valid token of this site. The page /connect/ creates "
    "one and shows how to configure a client."
)


# A token authenticates, never a cookie, and `CrossSiteGuardMiddleware` checks the origin.
@csrf_exempt
def mcp(request: HttpRequest, toolkit: str = "") -> HttpResponseBase:
    """One message of a client.

    `toolkit` is the name of a toolkit, in any spelling; "" offers the whole catalog.
    """
    if request.method != "POST":
        response = HttpResponse(status=405)  # without a stream of its own, and sessions need no end
        response["Allow"] = "POST"
        return response
    try:
        return _respond(request, toolkit)
    except ProtocolError as error:
        return HttpResponse(
            error_text(error),
            status=error.status,
            content_type=JSON_TYPE,
            headers=error.headers or None,
        )


def _respond(request: HttpRequest, toolkit: str) -> HttpResponseBase:
    token = None if _is_visitor(request) else _token(request)
    _check_types(request)
    session_token = request.headers.get(sessions.HEADER, "")
    session = None
    if token and session_token:
        session = sessions.session_of(session_token, token.user)
    version = session.version if session else None
    message = read_message(request.body, request.headers, session_version=version)
    needs_session = session_token and not message.is_modern and message.method != "initialize"
    try:
        if needs_session and session is None:
            raise _ended_session()
        key = session.key if session and not message.is_modern else ""
        caller = Caller(token.user if token else AnonymousUser(), key)
        return _answer(request, message, _find_toolset(request, toolkit), caller, token)
    except ProtocolError as error:
        error.request_id = message.id
        raise


def _ended_session() -> ProtocolError:
    return ProtocolError(
        INVALID_REQUEST, "This session is no longer valid; initialize a new one.", status=404
    )


def _answer(
    request: HttpRequest, message: Message, toolset: Toolset, caller: Caller, token: ApiToken | None
) -> HttpResponseBase:
    if token is not None:
        _check_scope(token, toolset, message)
    if message.is_notification:
        _receive_notification(message, caller)
        return HttpResponse(status=202)
    headers = {name.lower(): value for name, value in request.headers.items()}
    site = request.build_absolute_uri("/").removesuffix("/")
    answer = dispatch(message, toolset, caller, headers, site)
    if isinstance(answer, PendingCall):
        return answer.respond(request.headers.get("Accept", ""))
    response = HttpResponse(response_text(message.id, answer), content_type=JSON_TYPE)
    if message.method == "initialize" and token is not None:
        response[sessions.HEADER] = sessions.new_session(token.user, negotiated_version(message))
    return response


def _is_visitor(request: HttpRequest) -> bool:
    """Whether this is a request for mocks without a token.

    Visitors may send it where they may browse.

    Raises:
        Busy: there were too many of them from this address.
    """
    if "Authorization" in request.headers or not settings.ANONYMOUS_BROWSING:
        return False
    if not _asks_for_mocks(request):
        return False
    limit_unsaved_mocks(request)
    # Also in a browser with a session, which authenticates nobody here.
    request.user = AnonymousUser()
    return True


@sensitive_variables("secret")
def _token(request: HttpRequest) -> ApiToken:
    """The token of a request, which counts as a request to the API.

    Raises:
        ProtocolError: there is no usable token.
        Busy: there were too many requests of its user, or without a token from this address.
    """
    kind, _, secret = request.headers.get("Authorization", "").partition(" ")
    token = find_token(secret.strip()) if kind.lower() == "bearer" else None
    if token is None:
        limit_requests_of_address(request)
        challenge = 'Bearer realm="Toolshelf", scope="read run"'
        if kind:
            challenge += ', error="invalid_token"'
        raise ProtocolError(
            INVALID_REQUEST, UNAUTHENTICATED, status=401, headers={"WWW-Authenticate": challenge}
        )
    request.user = token.user
    request.auth = token  # type: ignore[attr-defined]  # as ninja does for the API
    limit_api_requests(request)
    return token


def _check_scope(token: ApiToken, toolset: Toolset, message: Message) -> None:
    """Running a tool needs `run`.

    Everything else shows the public catalog, so `read` or `run` is enough.
    """
    scopes = {"read", "run"}
    if message.method == "tools/call" and toolset.needs_run_scope(str(message.params.get("name"))):
        scopes = {"run"}
    if scopes & set(token.scopes):
        return
    text = f"This token lacks the scope 'run'; it has: {', '.join(token.scopes)}."
    challenge = 'Bearer realm="Toolshelf", error="insufficient_scope", scope="run"'
    raise ProtocolError(INVALID_REQUEST, text, status=403, headers={"WWW-Authenticate": challenge})


def _check_types(request: HttpRequest) -> None:
    if request.content_type != JSON_TYPE:
        raise ProtocolError(INVALID_REQUEST, "Send the message as application/json.", status=415)
    if not request.accepts(JSON_TYPE) and not request.accepts(CONTENT_TYPE):
        text = "Accept application/json and text/event-stream."
        raise ProtocolError(INVALID_REQUEST, text, status=406)


def _asks_for_mocks(request: HttpRequest) -> bool:
    return request.GET.get("mock", "").lower() in MOCK_VALUES


def _find_toolset(request: HttpRequest, toolkit: str) -> Toolset:
    mock = _asks_for_mocks(request)
    if not toolkit:
        return CatalogTools(request.user, mock)
    tools = ToolkitTools.of(toolkit, request.user, mock=mock)
    if tools is None:
        text = f"The catalog has no toolkit {quote(toolkit)}. /api/v1/toolkits lists the toolkits."
        raise ProtocolError(INVALID_REQUEST, text, status=404)
    return tools


def _receive_notification(message: Message, caller: Caller) -> None:
    """Cancel the call that a notification names; every other notification is only accepted."""
    request_id = message.params.get("requestId")
    if message.method == "notifications/cancelled" and isinstance(request_id, str | int):
        calls.cancel(caller, request_id)
