"""The pages that connect an MCP client: its snippets, a token made on the spot, the configuration of its calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from django import forms
from django.contrib.auth.decorators import login_required
from django.db.models import Count, Min
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import add_never_cache_headers
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods, require_POST

from catalog.accounts.api_auth import actor
from catalog.accounts.models import Person, User
from catalog.accounts.tokens import create_token
from catalog.models import Tool
from catalog.rights import may
from catalog.shortcuts import tool_at
from playground.configurations.mcp_choice import choose_configuration, chosen_configuration
from playground.configurations.saved import choices_for
from playground.mcp.toolkit_tools import PAGE_SIZE, ToolkitTools
from playground.models import SavedConfiguration
from playground.snippets.mcp_addresses import (
    Address,
    address_of_catalog,
    address_of_tool,
    address_of_toolkit,
)
from playground.snippets.mcp_clients import PLACEHOLDER, snippets
from toolspec.errors import DocumentError

MAX_TOOLKITS: Final = 200
SCOPES: Final = ("run",)  # enough to list tools and to call them; `read` would also show all runs


class ClientTokenForm(forms.Form):
    """A token for an MCP client."""

    name = forms.CharField(max_length=100, initial="MCP client", required=False)
    days = forms.IntegerField(min_value=1, max_value=3650, initial=90, required=False)


@require_http_methods(["GET", "HEAD", "POST"])
def connect(request: HttpRequest) -> HttpResponse:
    """Connect a client to the whole catalog; a POST creates a token and shows it in the snippets, once."""
    return _page(request, address_of_catalog(), {"toolkits": runnable_toolkits(request.user)})


@require_http_methods(["GET", "HEAD", "POST"])
def connect_toolkit(request: HttpRequest, toolkit: str) -> HttpResponse:
    """Connect a client to the tools of one toolkit."""
    tools = Tool.objects.visible_to(request.user).available().in_toolkit(toolkit)
    title = tools.values_list("toolkit", flat=True).first()
    if title is None:
        raise Http404
    runnable = tools.runnable().count()
    context: dict[str, Any] = {"toolkit": title, "runnable": runnable, "mocks": tools.count()}
    if toolset := ToolkitTools.of(toolkit, request.user, mock=not runnable):
        context["served_tools"] = toolset.changed(toolset.tools.with_current()[:PAGE_SIZE])
        context["first"] = PAGE_SIZE
    return _page(request, address_of_toolkit(title, mock=not runnable), context)


@require_http_methods(["GET", "HEAD", "POST"])
def connect_tool(request: HttpRequest, slug: str) -> HttpResponse:
    """Connect a client to the address that offers one tool."""
    tool = tool_at(slug, request.user)
    context: dict[str, Any] = {"tool": tool, "nav_section": "tools"}
    if toolset := tool.toolkit_key and ToolkitTools.of(
        tool.toolkit, request.user, mock=not tool.runnable
    ):
        context["served_tools"] = toolset.changed([tool])
    if isinstance(request.user, User):
        context["configurations"] = choices_for(
            request.user, SavedConfiguration.objects.filter(tool=tool)
        )
        context["chosen"] = chosen_configuration(request.user, tool)
    return _page(request, address_of_tool(tool), context)


@login_required
@require_POST
def choose_tool_configuration(request: HttpRequest, slug: str) -> HttpResponse:
    """Choose the saved configuration that MCP calls of a tool use."""
    tool = tool_at(slug, request.user)
    try:
        choose_configuration(actor(request), tool, request.POST.get("saved_configuration", ""))
    except DocumentError as error:
        context = {"status": 422, "title": "This is not valid", "detail": str(error)}
        return render(request, "400.html", context, status=422)
    return redirect(reverse("playground:connect_tool", args=[slug]) + "#configuration")


def runnable_toolkits(person: Person) -> Sequence[dict[str, Any]]:
    """The toolkits with tools that `person` sees and that can be run, by name: [{"toolkit_key", "name", "count"}]."""
    tools = (
        Tool.objects.visible_to(person).available().runnable().exclude(toolkit_key="").order_by()
    )
    rows = tools.values("toolkit_key").annotate(name=Min("toolkit"), count=Count("pk"))
    return [dict(row) for row in rows.order_by("name")[:MAX_TOOLKITS]]


@sensitive_variables("secret", "server")
def _page(request: HttpRequest, address: Address, context: dict[str, Any]) -> HttpResponse:
    secret = None
    form = ClientTokenForm(request.POST or None)
    if request.method == "POST":
        if not request.user.is_authenticated:
            return redirect(f"{reverse('accounts:sign_in')}?next={request.path}")
        if form.is_valid():
            values = {**form.cleaned_data, "name": form.cleaned_data["name"] or "MCP client"}
            _, secret = create_token(actor(request), scopes=SCOPES, **values)
    chosen = context.get("chosen", "")
    if chosen and chosen not in {choice.reference for choice in context["configurations"]}:
        context["chosen_is_gone"] = True
    server = address.server(request.build_absolute_uri("/"), secret or PLACEHOLDER)
    page = {
        "address": address,
        "url": server.url,
        "snippets": snippets(server),
        "secret": secret,
        "form": form,
        "placeholder": PLACEHOLDER,
        "only_reads": request.user.is_authenticated
        and not may(request.user, "run", context.get("tool")),
        **context,
    }
    response = render(request, "playground/connect.html", page, status=422 if form.errors else 200)
    add_never_cache_headers(response)
    return response
