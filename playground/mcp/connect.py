"""The pages that connect an MCP client: snippets, a token, the calls' configuration."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final
from urllib.parse import urlencode

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import add_never_cache_headers
from django.utils.encoding import escape_uri_path
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST

from accounts.api_auth import actor
from accounts.confirmation import ask_to_confirm, is_confirmed
from accounts.models import User
from accounts.next_page import redirect_page
from accounts.tokens import create_token
from catalog.access.models import Audience
from catalog.access.rights import may
from catalog.search.figures import overview_for
from catalog.tools.lookup import tool_at
from playground.configurations.mcp_choice import choose_configuration, chosen_configuration
from playground.configurations.models import SavedConfiguration
from playground.configurations.saved import list_usable_choices
from playground.mcp.addresses import (
    Address,
    address_of_catalog,
    address_of_tool,
    address_of_toolkit,
)
from playground.mcp.agent_view import list_tools, try_server
from playground.mcp.catalog_tools import CatalogTools
from playground.mcp.clients import PLACEHOLDER, snippets
from playground.mcp.toolkit_tools import ToolkitTools
from playground.mcp.toolsets import Toolset
from toolshelf_core.page_parts import render_part_or_page
from toolspec.errors import DocumentError

SCOPES: Final = ("run",)  # enough to list tools and to call them; `read` would also show all runs


@require_http_methods(["GET", "HEAD", "POST"])
def connect(request: HttpRequest) -> HttpResponse:
    """Connect a client to the whole catalog."""
    overview = overview_for(Audience.objects.visibility_for(request.user))
    toolset = CatalogTools(request.user)
    return _page(request, address_of_catalog(), toolset, {"overview": overview})


@require_http_methods(["GET", "HEAD", "POST"])
def connect_toolkit(request: HttpRequest, toolkit: str) -> HttpResponse:
    """Connect a client to the tools of one toolkit."""
    mocks = ToolkitTools.of(toolkit, request.user, mock=True)
    if mocks is None:
        raise Http404
    runnable = mocks.tools.runnable()
    offered = runnable.count()
    toolset = replace(mocks, mock=not offered)
    context = {
        "toolkit": mocks.title,
        "offered": offered,
        "mocks": mocks.tools.count(),
        "needs_configuration": runnable.filter(configurable=True).exists(),
    }
    return _page(request, address_of_toolkit(mocks.title, mock=not offered), toolset, context)


@require_http_methods(["GET", "HEAD", "POST"])
def connect_tool(request: HttpRequest, slug: str) -> HttpResponse:
    """Connect a client to the address that offers one tool."""
    tool = tool_at(slug, request.user)
    address = address_of_tool(tool)
    toolset: Toolset | None = ToolkitTools.of(tool.toolkit, request.user, mock=address.mock)
    context: dict[str, Any] = {"tool": tool, "nav_section": "tools"}
    if isinstance(request.user, User):
        configurations = SavedConfiguration.objects.filter(tool=tool)
        context["configurations"] = list_usable_choices(request.user, configurations)
        context["chosen"] = chosen_configuration(request.user, tool)
    return _page(request, address, toolset or CatalogTools(request.user, address.mock), context)


@login_required
@require_POST
def choose_tool_configuration(request: HttpRequest, slug: str) -> HttpResponse:
    """Choose the saved configuration that MCP calls of a tool use."""
    tool = tool_at(slug, request.user)
    try:
        choose_configuration(actor(request), tool, request.POST.get("saved_configuration", ""))
    except DocumentError as error:
        return _refuse(request, str(error))
    return redirect(reverse("playground:connect_tool", args=[slug]) + "#configuration")


def _refuse(request: HttpRequest, detail: str) -> HttpResponse:
    context = {"status": 422, "title": "This is not valid", "detail": detail}
    return render(request, "400.html", context, status=422)


@sensitive_variables("secret", "server")
def _page(
    request: HttpRequest, address: Address, toolset: Toolset, context: dict[str, Any]
) -> HttpResponse:
    """The page; a POST creates a token for `client`, whose snippet then contains it, once.

    A request of htmx gets the snippets alone, or with `?test=1` the answer of the server.
    """
    site = request.build_absolute_uri("/")
    client = request.POST.get("client", "")
    token, secret, asks_for_token = None, PLACEHOLDER, False
    if request.method == "POST":
        if not request.user.is_authenticated:
            query = urlencode({"next": request.path})
            return redirect_page(request, f"{reverse('accounts:sign_in')}?{query}")
        by_key = {snippet.key: snippet for snippet in snippets(address.server(site))}
        chosen_client = by_key.get(client)
        if chosen_client is None:
            return _refuse(request, "Choose one of the clients of the page.")
        if not is_confirmed(request):
            return ask_to_confirm(request, f"{request.path}#{client}")
        token, secret = create_token(actor(request), scopes=SCOPES, name=chosen_client.label)
        asks_for_token = chosen_client.asks_for_token
    chosen = context.get("chosen", "")
    if chosen and chosen not in {choice.reference for choice in context["configurations"]}:
        context["chosen_is_gone"] = True
    server = address.server(site, secret)
    # The server accepts nobody without a token, but for mocks where visitors may browse.
    may_test = request.user.is_authenticated or (address.mock and settings.ANONYMOUS_BROWSING)
    tests = may_test and "test" in request.GET
    page = {
        "address": address,
        "path": escape_uri_path(request.path),
        "may_test": may_test,
        "snippets": snippets(server),
        "client": client,
        "token": token,
        "secret": secret,
        "asks_for_token": asks_for_token,
        "listing": lambda: list_tools(toolset, context.get("tool")),
        "trial": try_server(toolset, request.user) if tests else None,
        "only_reads": request.user.is_authenticated
        and not may(request.user, "run", context.get("tool")),
        **context,
    }
    part = (
        "playground/trying/_trial_of_server.html"
        if page["trial"]
        else "playground/mcp/_clients.html"
    )
    response = render_part_or_page(request, part, "playground/mcp/connect.html", page)
    add_never_cache_headers(response)
    return response
