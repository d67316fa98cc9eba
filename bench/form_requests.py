"""Measure complete requests for forms: CPU time of one core in ms, with real and hostile specs.

    .venv/bin/python -m bench.form_requests

"open" requests the playground's page of a tool, "change" presses a button in its form; both pass through all layers of
the site, with an empty data directory. `bench.forms` measures the form's part of it.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import django
from django.core.management import call_command

from tests import corpora

if TYPE_CHECKING:
    from django.test import Client

FORM = "#trial"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TOOLSHELF_DATA_DIR"] = folder
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
        django.setup()
        call_command("collectstatic", interactive=False, verbosity=0)
        call_command("migrate", verbosity=0)
        measure()


def measure() -> None:
    from django.test import Client

    from bench.forms import HOSTILE
    from catalog.accounts.models import User
    from catalog.errors import SpecError
    from catalog.specs.spec import read_spec

    client = Client(HTTP_HOST="127.0.0.1")
    client.force_login(User.objects.create_user("bench"))
    real = {row["definition"].get("id") or row["definition"]["name"]: row for row in rows("specs_mcp")}
    publish(real.values())
    slugs = [read_spec(json.dumps(row)).slug for row in real.values()]
    one(client, slugs[0])  # loads the templates
    times = [one(client, slug) for slug in slugs]
    print(f"{'':<34}{'open':>24}{'change':>24}")
    print(f"{'':<28}{'tools':>6}" + f"{'p50':>8}{'p99':>8}{'max':>8}" * 2)
    report("specs_mcp", times)
    for title, (schema, value) in HOSTILE.items():
        spec = {"definition": {"name": f"hostile {title}", "description": "Bench.", "parameters": schema}}
        try:
            [slug] = publish([spec])
        except SpecError as error:
            print(f"{title:<28}refused: {error.problems[0].message[:80]}")
            continue
        query = "?parameters=" + json.dumps(value, separators=(",", ":"))
        report(title, [one(client, slug, query if len(query) < 8_000 else "")])


def rows(name: str) -> Iterable[dict[str, dict[str, str]]]:
    return map(json.loads, corpora.lines(name))


def publish(specs: Iterable[object]) -> list[str]:
    """Store specs, and return their slugs."""
    from catalog.publishing import publish_many
    from catalog.specs.spec import read_spec

    read = [read_spec(json.dumps(spec)) for spec in specs]
    publish_many(read, by=None)
    return [spec.slug for spec in read]


def one(client: Client, slug: str, query: str = "") -> tuple[float, float]:
    """The CPU time to open the form of a tool, and to press a button that changes nothing."""
    from tests.playground.schema_form.driver import Page

    address = f"/tools/{slug}/try/"
    opened, page = spent(lambda: client.get(address + query))
    form = Page(page)
    fields: dict[str, list[str]] = {}
    for name, value in form.submit():
        fields.setdefault(name, []).append(str(value))
    fields |= {"op": ["parameters:refresh"]}
    fields.pop("csrfmiddlewaretoken", None)
    changed, _ = spent(
        lambda: client.post(address, fields, headers={"hx-request": "true", "origin": "http://127.0.0.1"})
    )
    return opened, changed


def spent(request: Callable[[], object]) -> tuple[float, str]:
    """The CPU time of a request in ms, and its page."""
    begin = time.process_time()
    answer = request()
    times = (time.process_time() - begin) * 1000
    assert answer.status_code == 200, (answer.status_code, answer.content[:300])  # type: ignore[attr-defined]
    return times, answer.content.decode()  # type: ignore[attr-defined]


def report(title: str, times: list[tuple[float, float]]) -> None:
    def at(column: int, share: float) -> float:
        values = sorted(row[column] for row in times)
        return values[min(int(len(values) * share), len(values) - 1)]

    print(
        f"{title:<28}{len(times):>6}"
        + "".join(f"{at(column, share):>8.1f}" for column in (0, 1) for share in (0.5, 0.99, 1))
    )


if __name__ == "__main__":
    main()
