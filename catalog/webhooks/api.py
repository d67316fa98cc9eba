"""Schemas of webhooks and their deliveries."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from django.forms import model_to_dict
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from ninja import Query, Router, Status
from pydantic import Field

from accounts.api_auth import actor, token_or_session
from catalog.access.rights import require
from catalog.webhooks.delivery import send_again, send_test
from catalog.webhooks.models import EventType, Webhook, WebhookDelivery
from catalog.webhooks.registration import (
    WebhookForm,
    add_webhook,
    change_webhook,
    remove_webhook,
    replace_secret,
)
from toolshelf_core.api.problems import REFUSED, errors
from toolshelf_core.api.schemas import CursorQuery, In, Out, Page, UserName

_TOOLKITS = "Only events of these toolkits, and of sources with these names; [] for all."


class WebhookIn(In):
    url: str = Field(
        description="Under the same policy as URLs of sources; redirects are not followed."
    )
    events: list[EventType] = Field(max_length=20)
    toolkits: list[str] = Field([], description=_TOOLKITS)
    is_active: bool = True


class WebhookChangesIn(In):
    """Members that are absent stay as they are."""

    url: str | None = None
    events: list[EventType] | None = Field(None, max_length=20)
    toolkits: list[str] | None = Field(None, description=_TOOLKITS)
    is_active: bool | None = None


class WebhookOut(Out):
    id: int = Field(validation_alias="pk")
    url: str
    events: list[str]
    toolkits: list[str]
    is_active: bool
    inactive_reason: str = Field(description='Why the site switched it off; "" if it did not.')
    created_at: datetime
    created_by: UserName


class WebhookSecretOut(WebhookOut):
    secret: str = Field(description="Signs the messages. It is sent only here.")


class WebhooksOut(Out):
    items: list[WebhookOut]


class DeliveryOut(Out):
    id: int = Field(validation_alias="pk")
    message_id: str = Field(description="The header `webhook-id`, the same in all attempts.")
    event: str
    state: Literal["waiting", "delivered", "failed"]
    attempts: int
    status: int | None = Field(description="The HTTP status of the last response.")
    error: str = Field(description='Why the last attempt failed; "" if it did not.')
    duration_ms: float | None
    created_at: datetime
    last_at: datetime | None = Field(description="The time of the last attempt.")
    next_at: datetime | None = Field(description="When the next attempt is due.")


class DeliveriesOut(Page[DeliveryOut]):
    pass


class DeliveriesQuery(CursorQuery):
    state: Literal["waiting", "delivered", "failed"] | None = None
    limit: int = Field(100, ge=1, le=500)


router = Router(tags=["webhooks"])


@router.get(
    "/webhooks",
    response={200: WebhooksOut, **errors(401, 403)},
    auth=token_or_session("admin"),
    summary="List webhooks",
)
def list_webhooks(request: HttpRequest) -> WebhooksOut:
    """For administrators, without their secrets."""
    require(request.user, "administer")
    return WebhooksOut(
        items=[WebhookOut.of(one) for one in Webhook.objects.select_related("created_by")]
    )


@router.post(
    "/webhooks",
    response={201: WebhookSecretOut, **REFUSED},
    auth=token_or_session("admin"),
    summary="Add a webhook",
)
def create_webhook(
    request: HttpRequest, response: HttpResponse, body: WebhookIn
) -> Status[WebhookSecretOut]:
    """For administrators. The response contains its secret, which is not shown again."""
    require(request.user, "administer")
    webhook, secret = add_webhook(WebhookForm(body.model_dump()), by=actor(request))
    response["Location"] = reverse("api:get_webhook", args=[webhook.pk])
    return Status(201, WebhookSecretOut.of(webhook, secret=secret))


@router.get(
    "/webhooks/{int:webhook}",
    response={200: WebhookOut, **errors(401, 403, 404)},
    auth=token_or_session("admin"),
    summary="Get a webhook",
)
def get_webhook(request: HttpRequest, webhook: int) -> WebhookOut:
    return WebhookOut.of(_webhook(request, webhook))


@router.patch(
    "/webhooks/{int:webhook}",
    response={200: WebhookOut, **errors(404), **REFUSED},
    auth=token_or_session("admin"),
    summary="Change a webhook",
)
def patch_webhook(request: HttpRequest, webhook: int, body: WebhookChangesIn) -> WebhookOut:
    """Events that happen while it is inactive are never sent; waiting deliveries continue once it is active again."""
    found = _webhook(request, webhook)
    settings = model_to_dict(found, WebhookForm.Meta.fields)
    settings |= body.model_dump(exclude_none=True)
    return WebhookOut.of(change_webhook(WebhookForm(settings, webhook=found)))


@router.delete(
    "/webhooks/{int:webhook}",
    response={204: None, **errors(401, 403, 404)},
    auth=token_or_session("admin"),
    summary="Remove a webhook",
)
def delete_webhook(request: HttpRequest, webhook: int) -> Status[None]:
    """Also removes its deliveries, including those that wait."""
    remove_webhook(_webhook(request, webhook))
    return Status(204, None)


@router.post(
    "/webhooks/{int:webhook}/secret",
    response={200: WebhookSecretOut, **errors(401, 403, 404)},
    auth=token_or_session("admin"),
    summary="Replace the secret of a webhook",
)
def replace_webhook_secret(request: HttpRequest, webhook: int) -> WebhookSecretOut:
    """For 24 hours, messages are signed with both the new and the old secret."""
    found = _webhook(request, webhook)
    return WebhookSecretOut.of(found, secret=replace_secret(found))


@router.post(
    "/webhooks/{int:webhook}/test",
    response={200: DeliveryOut, **errors(401, 403, 404)},
    auth=token_or_session("admin"),
    summary="Send a test event",
)
def test_webhook(request: HttpRequest, webhook: int) -> DeliveryOut:
    """Sends `webhook.test` immediately, once. Returns the delivery, whether it succeeded or not."""
    return DeliveryOut.of(send_test(_webhook(request, webhook)))


@router.get(
    "/webhooks/{int:webhook}/deliveries",
    response={200: DeliveriesOut, **errors(401, 403, 404, 422)},
    auth=token_or_session("admin"),
    summary="List the deliveries of a webhook",
)
def list_deliveries(
    request: HttpRequest, webhook: int, query: Query[DeliveriesQuery]
) -> DeliveriesOut:
    """Newest first. Deliveries are deleted after 30 days."""
    deliveries = _webhook(request, webhook).deliveries.defer("body", "data_json")
    if query.state is not None:
        deliveries = deliveries.filter(state=query.state)
    return DeliveriesOut.read(deliveries, query)


@router.post(
    "/webhooks/{int:webhook}/deliveries/{int:delivery}/send",
    response={200: DeliveryOut, **errors(401, 403, 404)},
    auth=token_or_session("admin"),
    summary="Send a message again",
)
def resend_delivery(request: HttpRequest, webhook: int, delivery: int) -> DeliveryOut:
    """Sends it immediately, with the same id and body."""
    found = get_object_or_404(WebhookDelivery, pk=delivery, webhook=_webhook(request, webhook))
    return DeliveryOut.of(send_again(found))


def _webhook(request: HttpRequest, key: int) -> Webhook:
    require(request.user, "administer")
    return get_object_or_404(Webhook.objects.select_related("created_by"), pk=key)
