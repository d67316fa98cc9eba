"""A site with one person of each kind, and one object of each kind that belongs to the owner."""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, field
from functools import cache

import pytest
from django.conf import settings
from django.contrib.auth.hashers import make_password
from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.test import Client

from accounts.models import ApiToken, User
from accounts.roles import set_role
from catalog.exports.sdk_wheel import sdk_wheel
from catalog.lint.waivers import waive
from catalog.organise.access import Access, change_tool_access
from catalog.proposals.actions import PendingSpec, publish_or_hold
from catalog.sources.models import Source, SourceSync
from catalog.tools.models import Tool
from catalog.tools.publishing import publish
from catalog.uploads.models import Upload
from catalog.webhooks.models import Webhook, WebhookDelivery
from playground.configurations.models import SavedConfiguration
from playground.examples.models import ExampleCheck
from playground.runs.models import Run, RunFile
from playground.trying.models import SavedInput
from tests.factories import make_spec, make_token, make_user
from toolshelf_core.encryption import encrypt

PERSONAS = (
    "anonymous",
    "reader",
    "runner",
    "publisher",
    "maintainer of another tool",
    "owner",
    "administrator",
)
ROLES = {
    "reader": "reader",
    "runner": "runner",
    "publisher": "publisher",
    "maintainer of another tool": "publisher",
    "owner": "publisher",
    "administrator": "administrator",
}


@dataclass
class World:
    """People by persona, their tokens of all scopes, their session cookies, and the values of URL parameters."""

    people: dict[str, User]
    tokens: dict[str, str]
    sessions: dict[str, str]
    tool: Tool
    run: Run
    values: dict[str, object] = field(default_factory=dict)

    def client(self, persona: str) -> Client:
        client = Client()
        if persona != "anonymous":
            client.cookies[settings.SESSION_COOKIE_NAME] = self.sessions[persona]
        return client

    def person(self, persona: str) -> User | AnonymousUser:
        return self.people.get(persona) or AnonymousUser()


def session_of(user: User) -> str:
    """The cookie of a new session: signing in takes as long as a request, and there are thousands of them."""
    client = Client()
    client.force_login(user)
    return client.cookies[settings.SESSION_COOKIE_NAME].value


@cache
def password():
    """For second factors, which are for people with a password; hashed once."""
    return make_password("correct horse battery staple")


@pytest.fixture(scope="module")
def _world_of_module(django_db_setup, django_db_blocker):
    """Made once for the hundreds of tests of a module, in a transaction around those of its tests."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield make_world()
        transaction.set_rollback(True)


@pytest.fixture
def world(_world_of_module, db):
    """A copy, because tests change its members."""
    return copy.deepcopy(_world_of_module)


def make_world() -> World:
    people = {}
    for persona, role in ROLES.items():
        people[persona] = make_user(persona.replace(" ", "-"))
        people[persona].password = password()
        people[persona].save()
        set_role(people[persona], role)
    owner = people["owner"]
    spec = {"parameters": {"type": "object"}, "returnType": {"type": "object"}}
    tool = publish(
        make_spec("kit.mine", examples=[{"parameters": {}, "returnValue": {}}], **spec), by=owner
    ).tool
    tool = publish(make_spec("kit.mine", description="Does more.", **spec), by=owner).tool
    other = publish(make_spec("kit.other"), by=people["administrator"]).tool
    change_tool_access(other, Access(maintainers=["maintainer-of-another-tool"]), by=None)
    waiver = waive(tool, rule="description-vague", reason="It is fine.", by=owner)
    revision = tool.revisions.get(number=2)
    values = {
        "tool": tool,
        "revision": revision,
        "by": owner,
        "parameters_json": "{}",
        "mode": "live",
    }
    run = Run.objects.create(**values, outcome="returned", response_json="{}", verdict="conforms")
    RunFile.objects.create(
        run=run, number=1, name="a.txt", media_type="text/plain", size=1, sha256="0", content=b"a"
    )
    second = Run.objects.create(
        **values, outcome="returned", response_json="{}", verdict="conforms"
    )
    check = ExampleCheck.objects.create(tool=tool, revision=revision, by=owner)
    saved = SavedConfiguration.objects.create(owner=owner, tool=tool, name="work", encrypted="")
    SavedInput.objects.create(
        owner=owner, tool=tool, name="work", parameters_json="{}", revision_number=1
    )
    source = Source.objects.create(
        name="origin", kind="openapi", document="{}", owner=people["administrator"]
    )
    sync = SourceSync.objects.create(source=source)
    proposal = publish_or_hold(
        make_spec("kit.mine", description="Proposed."), by=people["publisher"]
    )
    assert isinstance(proposal, PendingSpec)
    upload = Upload.objects.create(by=owner, names="one.json")
    webhook = Webhook.objects.create(
        url="http://127.0.0.1/", events=["tool.revised"], secret=encrypt("0" * 64)
    )
    delivery = WebhookDelivery.objects.create(
        webhook=webhook, message_id="msg_1", event="webhook.test", data_json="{}"
    )
    token = ApiToken.objects.create(user=owner, digest="0" * 64, hint="tsk_", scopes=["read"])
    return World(
        people,
        {persona: make_token(user=user) for persona, user in people.items()},
        {persona: session_of(user) for persona, user in people.items()},
        tool,
        run,
        {
            "slug": tool.slug,
            "number": 1,
            "pair": (1, 2),
            "waiver": waiver.pk,
            "rule": "description-vague",
            "key": "mcp",  # of an export format
            "format": "mcp",
            "language": "python",
            "factory": "playground.builtin.calculate_date:calculate_date",
            "document": "rights",
            "package": sdk_wheel().name,
            "name": "origin",
            "toolkit": "kit",
            "run_id": run.pk,
            "first_id": run.pk,
            "second_id": second.pk,
            "other_id": second.pk,
            "other": tool.slug,
            "check": check.pk,
            "sync": sync.pk,
            "change": proposal.change.pk,
            "upload": upload.pk,
            "configuration": saved.pk,
            "token": token.pk,
            "webhook": webhook.pk,
            "delivery": delivery.pk,
            "passkey": 1,
            "session_digest": "0" * 64,
            "position": 1,
            "person": people["reader"].pk,
        },
    )


def spec_of(tool_id: str, **members: object) -> str:
    return json.dumps(
        {"definition": {"id": tool_id, "name": tool_id, "description": "Does it.", **members}}
    )
