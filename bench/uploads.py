"""Measure the effect of a large upload on other users: `.venv/bin/python -m bench.uploads [--specs 2000]`.

All specs are sent in one request, by the page and by the API. Meanwhile one client requests pages, and another
occasionally publishes a spec. The figures are p50 and p95 in ms, and the peak memory of the server's processes.
"""

from __future__ import annotations

import argparse
import re
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import httpx

from bench.load_specs import HIGH_RATES
from bench.specs import specs
from tests.attacks.watching import forget_peaks, peak_mib, servers_of
from tests.site import Site, sign_in

PAGES = ("/", "/tools/?q=get", "/factories/", "/api/v1/tools?q=create")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--specs", type=int, default=2_000)
    count = parser.parse_args().specs
    columns = f"{'took':>8}{'specs/s':>9}{'pages p50':>11}{'p95':>7}{'writer p50':>12}{'p95':>7}{'MiB':>6}"
    print(f"{count:>10,} specs{'':8}{columns}")
    content = "\n".join(specs(count)).encode()
    for name, send in (("nothing", nothing), ("API, one request", by_api), ("page", by_page)):
        with tempfile.TemporaryDirectory() as folder:
            site = Site(Path(folder), **HIGH_RATES)
            try:
                took_s, pages, writes, memory_mib = beside(site, send, content)
            finally:
                site.stop()
        rate = count / took_s if name != "nothing" else 0
        quantiles = "".join(
            f"{statistics.median(times):>{width}.1f}{p95(times):>7.1f}"
            for times, width in ((pages, 11), (writes, 12))
        )
        print(f"{name:24}{took_s:>7.1f}s{rate:>9,.0f}{quantiles}{memory_mib:>6,.0f}")


def p95(times: list[float]) -> float:
    return statistics.quantiles(times, n=20, method="inclusive")[18]


Send = Callable[[Site, httpx.Client, bytes], None]


def beside(site: Site, send: Send, content: bytes) -> tuple[float, list[float], list[float], float]:
    token = site.token("bench", "publish", "read")
    ended = threading.Event()
    pages: list[float] = []
    writes: list[float] = []
    threads = [
        threading.Thread(target=ask_pages, args=(site, pages, ended)),
        threading.Thread(target=publish, args=(site, token, writes, ended)),
    ]
    servers = servers_of(site.process.pid)
    with httpx.Client(
        base_url=site.url, timeout=600, headers={"Authorization": f"Bearer {token}"}
    ) as client:
        for page in PAGES * 5:
            client.get(page)
        forget_peaks(servers)
        for thread in threads:
            thread.start()
        started = time.perf_counter()
        send(site, client, content)
        took_s = time.perf_counter() - started
        ended.set()
        for thread in threads:
            thread.join()
    return took_s, pages, writes, peak_mib(servers)


def ask_pages(site: Site, times: list[float], ended: threading.Event) -> None:
    with httpx.Client(base_url=site.url, timeout=60) as client:
        while not ended.is_set():
            for page in PAGES:
                times.append(duration_ms(lambda page=page: client.get(page)))  # type: ignore[misc]
                time.sleep(0.02)


def publish(site: Site, token: str, times: list[float], ended: threading.Event) -> None:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    with httpx.Client(base_url=site.url, timeout=60, headers=headers) as client:
        for spec in specs(10_000, seed=7):
            if ended.is_set():
                return
            times.append(
                duration_ms(lambda spec=spec: client.post("/api/v1/tools", content=spec.encode()))
            )  # type: ignore[misc]
            time.sleep(0.1)


def duration_ms(ask: Callable[[], httpx.Response]) -> float:
    started = time.perf_counter()
    answer = ask()
    if answer.status_code >= 400 and answer.status_code != 422:
        raise RuntimeError(answer.text[:500])
    return (time.perf_counter() - started) * 1000


def nothing(site: Site, client: httpx.Client, content: bytes) -> None:  # noqa: ARG001
    time.sleep(5)


def by_api(site: Site, client: httpx.Client, content: bytes) -> None:  # noqa: ARG001
    answer = client.post(
        "/api/v1/uploads", content=content, headers={"Content-Type": "application/x-ndjson"}
    )
    answer.raise_for_status()


def by_page(site: Site, client: httpx.Client, content: bytes) -> None:  # noqa: ARG001
    with httpx.Client(base_url=site.url, timeout=60) as browser:
        sign_in(browser, site.sign_in_link)
        token = re.search(
            r'name="csrfmiddlewaretoken"\s+value="([^"]+)"', browser.get("/add/").text
        )
        assert token
        data = {"csrfmiddlewaretoken": token[1]}
        answer = browser.post("/add/", data=data, files={"files": ("specs.ndjson", content)})
        if answer.status_code != 302:
            raise RuntimeError(answer.text[:500])


if __name__ == "__main__":
    main()
