"""The pages of webhooks, for administrators: the list, and one webhook with its deliveries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_http_methods

from accounts.administrators import administrators_only
from accounts.api_auth import actor
from catalog.webhooks.delivery import send_again, send_test
from catalog.webhooks.models import EVENTS, Webhook, WebhookDelivery
from catalog.webhooks.registration import (
    WebhookForm,
    add_webhook,
    change_webhook,
    remove_webhook,
    replace_secret,
    shown_url,
)
from toolshelf_core.form_problems import list_error_links
from toolshelf_core.paging import read_number, read_page

PAGE_SIZE: Final = 50


@require_http_methods(["GET", "HEAD", "POST"])
@administrators_only
@sensitive_variables("secret")
def webhook_list(request: HttpRequest) -> HttpResponseBase:
    """All webhooks; a POST adds one, and shows its secret once."""
    form = WebhookForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        webhook, secret = add_webhook(form, by=actor(request))
        return _page(request, webhook, WebhookForm(webhook=webhook), secret=secret)
    rows = [
        {"webhook": webhook, "url": shown_url(webhook.url), "last": webhook.deliveries.first()}
        for webhook in Webhook.objects.all()
    ]
    context = {
        "webhooks": rows,
        "form": form,
        "errors": list_error_links(form),
        "event_names": EVENTS,
    }
    status = 422 if form.errors else 200
    return render(request, "catalog/webhooks/list.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
@administrators_only
def webhook_page(request: HttpRequest, pk: int) -> HttpResponseBase:
    """One webhook: its deliveries and settings.

    A POST changes the settings, or does what `do` names.
    """
    webhook = get_object_or_404(Webhook, pk=pk)
    act = _ACTIONS.get(request.POST.get("do", ""))
    if act:
        return act(request, webhook)
    form = WebhookForm(request.POST if request.method == "POST" else None, webhook=webhook)
    if not form.is_valid():
        return _page(request, get_object_or_404(Webhook, pk=pk), form)
    change_webhook(form)
    messages.success(request, "Webhook saved.")
    return redirect(webhook)


@sensitive_variables("secret")
def _replace_secret(request: HttpRequest, webhook: Webhook) -> HttpResponse:
    """Replace the secret, and show the new one once."""
    secret = replace_secret(webhook)
    return _page(request, webhook, WebhookForm(webhook=webhook), secret=secret)


def _send_test(request: HttpRequest, webhook: Webhook) -> HttpResponse:
    """Send a test event now."""
    _report(request, send_test(webhook))
    return redirect(webhook)


def _remove(request: HttpRequest, webhook: Webhook) -> HttpResponse:
    url = shown_url(webhook.url)
    remove_webhook(webhook)
    messages.success(request, f"Webhook to {url} removed.")
    return redirect("catalog:webhooks")


_ACTIONS: Final[Mapping[str, Callable[[HttpRequest, Webhook], HttpResponse]]] = {
    "secret": _replace_secret,
    "test": _send_test,
    "remove": _remove,
}


@require_http_methods(["GET", "HEAD", "POST"])
@administrators_only
def delivery_page(request: HttpRequest, pk: int, delivery: int) -> HttpResponseBase:
    """One delivery with its body; a POST sends its message again, now."""
    found = get_object_or_404(
        WebhookDelivery.objects.select_related("webhook"), pk=delivery, webhook=pk
    )
    if request.method == "POST":
        _report(request, send_again(found))
        return redirect("catalog:webhook", pk)
    context = {"delivery": found, "webhook": found.webhook, "url": shown_url(found.webhook.url)}
    return render(request, "catalog/webhooks/delivery.html", context)


def _report(request: HttpRequest, delivery: WebhookDelivery) -> None:
    if delivery.state == WebhookDelivery.DELIVERED:
        messages.success(request, f"The server accepted the message with status {delivery.status}.")
    else:
        messages.error(request, f"The message was not accepted. {delivery.error}")


def _page(
    request: HttpRequest, webhook: Webhook, form: WebhookForm, *, secret: str = ""
) -> HttpResponse:
    deliveries = webhook.deliveries.defer("body")
    state = request.GET.get("state", "")
    if state in WebhookDelivery.STATES:
        deliveries = deliveries.filter(state=state)
    before = read_number(request.GET.get("before", ""), digits=18)
    shown, following = read_page(deliveries, before, PAGE_SIZE)
    more = f"state={state}&" if state in WebhookDelivery.STATES else ""
    context = {
        "webhook": webhook,
        "url": shown_url(webhook.url),
        "form": form,
        "errors": list_error_links(form),
        "secret": secret,
        "deliveries": shown,
        "state": state,
        "states": WebhookDelivery.STATES,
        "event_names": EVENTS,
        "next_url": f"?{more}before={following}#deliveries" if following else None,
    }
    response = render(
        request,
        "catalog/webhooks/webhook.html",
        context,
        status=422 if form.errors else 200,
    )
    if secret:
        response["Cache-Control"] = "no-store"
    return response
