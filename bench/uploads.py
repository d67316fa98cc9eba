"""Measure the effect of a large upload on other users.

    .venv/bin/python -m bench.uploads [--specs 2000]

All specs are sent in one request, by the page and by the API. Meanwhile one client requests pages,
and another occasionally publishes a spec. The figures are p50 and p95 in ms, and the peak memory of
the server's processes.
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
from bench.specs import make_specs
from bench.timing import get_p95, time_ms
from tests.attacks.watching import forget_peaks, peak_mib, servers_of
from tests.site import Site, sign_in

PAGES = ("/", "/tools/?q=get", "/factories/", "/api/v1/tools?q=create")


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--specs", type=int, default=2_000)
    count = parser.parse_args().specs
    quantiles = f"{'pages p50':>11}{'p95':>7}{'writer p50':>12}{'p95':>7}"
    print(f"{count:>10,} specs{'':8}{'took':>8}{'specs/s':>9}{quantiles}{'MiB':>6}")
    content = "\n".join(make_specs(count)).encode()
    senders = {"nothing": wait, "API, one request": send_to_api, "page": submit_page}
    for name, send in senders.items():
        with tempfile.TemporaryDirectory() as folder:
            site = Site(Path(folder), prepared=False, **HIGH_RATES)
            try:
                took_s, pages, writes, memory_mib = measure(site, send, content)
            finally:
                site.stop()
        rate = count / took_s if name != "nothing" else 0
        line = f"{name:24}{took_s:>7.1f}s{rate:>9,.0f}"
        line += f"{statistics.median(pages):>11.1f}{get_p95(pages):>7.1f}"
        line += f"{statistics.median(writes):>12.1f}{get_p95(writes):>7.1f}"
        print(f"{line}{memory_mib:>6,.0f}")


Send = Callable[[Site, httpx.Client, bytes], None]


def measure(
    site: Site, send: Send, content: bytes
) -> tuple[float, list[float], list[float], float]:
    token = site.token("bench", "publish", "read")
    end = threading.Event()
    pages: list[float] = []
    writes: list[float] = []
    threads = [
        threading.Thread(target=ask_pages, args=(site, pages, end)),
        threading.Thread(target=publish, args=(site, token, writes, end)),
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
        took_s = time_ms(send, site, client, content) / 1000
        end.set()
        for thread in threads:
            thread.join()
    return took_s, pages, writes, peak_mib(servers)


def ask_pages(site: Site, times: list[float], end: threading.Event) -> None:
    with httpx.Client(base_url=site.url, timeout=60) as client:
        while not end.is_set():
            for page in PAGES:
                times.append(time_ms(request, client, "GET", page))
                time.sleep(0.02)


def publish(site: Site, token: str, times: list[float], end: threading.Event) -> None:
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    with httpx.Client(base_url=site.url, timeout=60, headers=headers) as client:
        for spec in make_specs(10_000, seed=7):
            if end.is_set():
                return
            times.append(time_ms(request, client, "POST", "/api/v1/tools", spec.encode()))
            time.sleep(0.1)


def request(client: httpx.Client, method: str, path: str, content: bytes | None = None) -> None:
    answer = client.request(method, path, content=content)
    if answer.status_code >= 400 and answer.status_code != 422:
        raise RuntimeError(answer.text[:500])


def wait(site: Site, client: httpx.Client, content: bytes) -> None:  # noqa: ARG001
    time.sleep(5)


def send_to_api(site: Site, client: httpx.Client, content: bytes) -> None:  # noqa: ARG001
    answer = client.post(
        "/api/v1/uploads", content=content, headers={"Content-Type": "application/x-ndjson"}
    )
    answer.raise_for_status()


def submit_page(site: Site, client: httpx.Client, content: bytes) -> None:  # noqa: ARG001
    with httpx.Client(base_url=site.url, timeout=60) as browser:
        sign_in(browser, site.sign_in_link)
        page = browser.get("/add/").text
        token = re.search(r'name="csrfmiddlewaretoken"\s+value="([^"]+)"', page)
        assert token
        data = {"csrfmiddlewaretoken": token[1]}
        answer = browser.post("/add/", data=data, files={"files": ("specs.ndjson", content)})
        if answer.status_code != 302:
            raise RuntimeError(answer.text[:500])


if __name__ == "__main__":
    main()
