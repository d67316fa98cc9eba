"""Fill a site with what its pages show: people, revisions, changes, uploads, sources, webhooks and runs.

    values = prepare(site)     by `python -m tests.browser.sample_state`, in a process that uses the site's database

The values are what addresses of `tests.browser.pages` name: {"link_ada": "/sign-in/…/", "run_violates": "…", …}.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from io import BytesIO

import httpx

from tests.site import ROOT, Site

PASSWORD = "correct horse battery"
BROKEN_FACTORY = "almanac_of_nowhere.tools:AlmanacFactory"  # for TOOL_FACTORIES of the site
TEAM = "operations"

_RUNS = {
    "run_conforms": (
        "convert_units",
        {"parameters": {"value": 42.195, "from_unit": "km", "to_unit": "mile"}},
    ),
    "run_violates": ("drifting_thermometer", {"parameters": {"hours_since_calibration": 73}}),
    "run_conforms_too": ("drifting_thermometer", {"parameters": {"hours_since_calibration": 1}}),
    "run_failed": ("count_slowly", {"parameters": {"steps": 2, "seconds": 0, "fail_at": 2}}),
    "run_timed_out": ("count_slowly", {"parameters": {"steps": 10, "seconds": 60}, "timeout_s": 1}),
    "run_refused": ("convert_units", {"parameters": {"value": "far", "to_unit": "mile"}}),
    "run_unchecked": (
        "billing.send_invoice",
        {"parameters": {"customer": "C-17", "year": 2026}, "mode": "mock"},
    ),
    "run_mock": ("get-weather-498ebfb0", {"parameters": {"location": "Paris"}, "mode": "mock"}),
}


def prepare(site: Site) -> dict[str, str]:
    done = subprocess.run(
        [site.python, "-m", "tests.browser.sample_state"],
        cwd=ROOT,
        env=site.environment | {"DJANGO_SETTINGS_MODULE": "config.settings"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    values: dict[str, str] = json.loads(done.stdout)
    headers = {"Authorization": f"Bearer {values.pop('token')}"}
    with httpx.Client(base_url=f"{site.url}/api/v1", headers=headers, timeout=120) as program:
        for name, (slug, body) in _RUNS.items():
            values[name] = _start(program, slug, body | {"wait_s": 30})
        values["run_cancelled"] = _start(
            program, "count_slowly", {"parameters": {"seconds": 60}, "wait_s": 0}
        )
        assert program.post(f"/runs/{values['run_cancelled']}/cancel").is_success
        while program.get(f"/runs/{values['run_cancelled']}").json()["outcome"] in {
            "queued",
            "running",
        }:
            time.sleep(0.1)
        long = {"parameters": {"steps": 1000, "seconds": 600}, "timeout_s": 300, "wait_s": 0}
        values["run_running"] = _start(program, "count_slowly", long)
        assert program.post("/tools/evaluate_expression/example-checks").is_success
    return values


def _start(program: httpx.Client, slug: str, body: dict[str, object]) -> str:
    answer = program.post(f"/tools/{slug}/runs", json=body)
    assert answer.is_success, (slug, answer.text)
    return str(answer.json()["id"])


def make_state() -> dict[str, object]:
    from django.contrib.auth.models import Group
    from django.db import transaction

    from accounts.models import SCOPES, User
    from accounts.roles import set_role
    from accounts.sign_in_links import new_link
    from accounts.tokens import create_token
    from catalog.lint.waivers import waive
    from catalog.organise.access import Access, change_tool_access
    from catalog.organise.lifecycle import archive, deprecate
    from catalog.organise.metadata import Organisation, organise
    from catalog.proposals.actions import PendingSpec, publish_or_hold
    from catalog.sources.sync import sync
    from catalog.tools.models import Tool
    from catalog.tools.publishing import publish
    from catalog.tools.stars import star
    from catalog.uploads.choices import ImportOptions
    from catalog.uploads.reports import publish_upload, read_files
    from catalog.webhooks.models import WebhookDelivery
    from catalog.webhooks.registration import WebhookForm, add_webhook
    from tests.catalog.sources.documents import (
        ALERTS,
        BREAKING,
        FORECAST,
        add_document,
        document,
        replace_document,
    )
    from tests.factories import properties, spec_text
    from toolshelf_core.secret_paths import link_path
    from toolspec.spec import read_spec

    owner = User.objects.get(username="owner")
    people = {
        name: User.objects.create_user(name, password=PASSWORD)
        for name in ("ada", "newcomer", "reader")
    }
    for name, role in {"ada": "publisher", "newcomer": "publisher", "reader": "reader"}.items():
        set_role(people[name], role)
    team = Group.objects.create(name=TEAM)
    team.user_set.add(people["ada"])

    invoice = {"customer": {"type": "string", "description": "The customer's number."}}
    first = spec_text(
        "billing.send_invoice", description="Send an invoice.", parameters=properties(**invoice)
    )
    breaking = invoice | {"year": {"type": "integer"}}
    second = spec_text(
        "billing.send_invoice",
        description="Send an invoice by e-mail, and store a copy for `year`.",
        parameters=properties(**breaking) | {"required": ["year"]},
    )
    old = spec_text(
        "billing.mail_invoice", description="Send an invoice by letter. Use send_invoice instead."
    )
    with transaction.atomic():
        tool = publish(read_spec(first), by=owner).tool
        publish(read_spec(second), by=owner)
        publish(read_spec(first), by=owner)
        replaced = publish(read_spec(old), by=owner).tool
        deprecate(
            replaced,
            note="Letters are no longer sent.",
            superseded_by="billing.send_invoice",
            by=owner,
        )
        archive(publish(read_spec(spec_text("billing.fax_invoice")), by=owner).tool)
        organise(tool, Organisation(add_tags=["finance", "e-mail"]), by=owner)
        change_tool_access(
            Tool.objects.get(pk=tool.pk),
            Access(maintainers=["owner"], visibility="signed-in"),
            by=owner,
        )
        waive(tool, rule="description-vague", reason="Customers know what it does.", by=owner)
        star(Tool.objects.get(slug="convert_units"), owner)
        proposal = publish_or_hold(read_spec(second.replace("e-mail", "post")), by=people["ada"])
        assert isinstance(proposal, PendingSpec)

    source = add_document(document(FORECAST, ALERTS), by=owner)
    sync(source)
    replace_document(source, document(BREAKING))
    sync(source)

    specs = [
        first.replace("Send an invoice.", "Send one invoice."),
        *(
            spec_text(f"reports.month-{number}", description="Sum up a month.")
            for number in range(1, 13)
        ),
        spec_text(
            "reports.year",
            parameters={"type": "object", "properties": {"year": {"type": "intger"}}},
        ),
        spec_text("reports.quarter", paramters={"type": "object"}),
        second,
        old,
    ]
    lines = [
        *(json.dumps(json.loads(spec)) for spec in specs),
        '{"definition": {"name": "broken", "description": "x", }}',
    ]
    content = "\n".join(lines).encode()
    report, _ = publish_upload(read_files([("reports.ndjson", BytesIO(content))]), by=owner)

    wrong = {"$ref": "https://example.com/month.json"}
    schemas = [*[{"type": "object"}] * 3, *[wrong] * 12]
    tools = [
        {"name": f"summaries.month-{number}", "inputSchema": schema}
        for number, schema in enumerate(schemas, 1)
    ]
    imported = json.dumps({"tools": tools}, indent=2).encode()
    files = [("reports.ndjson", BytesIO(content)), ("reports-mcp.json", BytesIO(imported))]
    rejected, _ = publish_upload(
        read_files(files, ImportOptions("")), by=owner, options=ImportOptions("")
    )

    settings = {"url": "https://hooks.example.org/toolshelf", "events": ["tool.revised"]}
    webhook, _ = add_webhook(WebhookForm(settings), by=owner)
    delivery = WebhookDelivery.objects.filter(
        webhook=webhook
    ).first() or WebhookDelivery.objects.create(
        webhook=webhook,
        message_id="msg_2f9c",
        event="webhook.test",
        data_json='{"message": "A test."}',
    )
    create_token(owner, name="CI pipeline", scopes=["read", "run"])
    return {
        "token": create_token(owner, name="Screenshots", scopes=SCOPES)[1],
        **{
            f"link_{name}": link_path(new_link(User.objects.get(username=name)))
            for name in ["owner", *people]
        },
        "link_unused": link_path(new_link(owner)),
        "held_change": source.proposals.get().pk,
        "proposal": proposal.change.pk,
        "upload": report.pk,
        "upload_rejected": rejected.pk,
        "webhook": webhook.pk,
        "delivery": delivery.pk,
        "person": people["ada"].pk,
    }


if __name__ == "__main__":
    import django

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    sys.stdout.write(json.dumps(make_state(), default=str))
