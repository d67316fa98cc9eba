"""What a run costs, against a site of its own: `python -m bench.site_runs`.

A trivial live run beside the same request as a mock (which calls no process); runs per second at 16 clients; and many
runs of a second each, while pages are asked for.
"""

from __future__ import annotations

import http.client
import json
import statistics
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.site import Site

TRIVIAL = {"value": 1, "from_unit": "km", "to_unit": "m"}


class Client:
    """One keep-alive connection with a token."""

    def __init__(self, site: Site, token: str) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=120)
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def ask(self, method: str, path: str, body: object = None) -> tuple[int, bytes]:
        data = None if body is None else json.dumps(body)
        self.connection.request(method, path, data, self.headers)
        answer = self.connection.getresponse()
        return answer.status, answer.read()

    def run(self, tool: str, parameters: object, **more: object) -> dict[str, object]:
        status, text = self.ask("POST", f"/api/v1/tools/{tool}/runs", {"parameters": parameters, **more})
        if status not in {201, 202}:
            raise RuntimeError(text)
        return json.loads(text)


def timed(call, *words, **more) -> float:
    began = time.perf_counter()
    call(*words, **more)
    return (time.perf_counter() - began) * 1000


def beside_a_mock(client: Client, rounds: int = 300) -> None:
    for _ in range(20):
        client.run("hash_text", {"text": "a"})
        client.run("hash_text", {"text": "a"}, mode="mock")
    live, mock = [], []
    for _ in range(rounds):
        mock.append(timed(client.run, "hash_text", {"text": "a"}, mode="mock"))
        live.append(timed(client.run, "hash_text", {"text": "a"}))
    difference = statistics.median(one - other for one, other in zip(live, mock, strict=True))
    medians = f"live {statistics.median(live):.1f} ms, mock {statistics.median(mock):.1f} ms"
    print(f"one client: {medians}, difference {difference:.1f} ms")


def throughput(site: Site, token: str, clients: int = 16, seconds: float = 10) -> None:
    end = time.monotonic() + seconds

    def work(_: int) -> int:
        client, count = Client(site, token), 0
        while time.monotonic() < end:
            run = client.run("hash_text", {"text": "a"})
            while run["outcome"] in {"queued", "running"}:  # 202: too many wait already
                run = json.loads(client.ask("GET", f"/api/v1/runs/{run['id']}")[1])
            if run["outcome"] != "returned":
                raise RuntimeError(f"{run['outcome']}: {run['error']}")
            count += 1
        return count

    with ThreadPoolExecutor(clients) as pool:
        count = sum(pool.map(work, range(clients)))
    print(f"{clients} clients: {count / seconds:.0f} runs/s")


def many_slow_runs(site: Site, token: str, count: int = 500) -> None:
    client = Client(site, token)
    began = time.monotonic()
    ids = [client.run("count_slowly", {"steps": 1, "seconds": 1}, wait_s=0)["id"] for _ in range(count)]
    pages: list[float] = []
    done = threading.Event()

    def browse() -> None:
        visitor = Client(site, token)
        while not done.is_set():
            pages.append(timed(visitor.ask, "GET", "/"))
            time.sleep(0.02)

    browser = threading.Thread(target=browse)
    browser.start()
    while (
        json.loads(client.ask("GET", "/api/v1/runs?limit=1&outcome=queued")[1])["items"]
        or json.loads(client.ask("GET", "/api/v1/runs?limit=1&outcome=running")[1])["items"]
    ):
        time.sleep(0.5)
    took = time.monotonic() - began
    done.set()
    browser.join()
    outcomes: dict[str, int] = {}
    for run in ids:
        outcome = json.loads(client.ask("GET", f"/api/v1/runs/{run}")[1])["outcome"]
        outcomes[outcome] = outcomes.get(outcome, 0) + 1
    middle, slow = statistics.median(pages), statistics.quantiles(pages, n=20)[-1]
    print(f"{count} runs of 1 s: {took:.0f} s, {outcomes}")
    print(f"meanwhile the catalog: median {middle:.0f} ms, p95 {slow:.0f} ms over {len(pages)} requests")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        site = Site(Path(folder))
        try:
            token = site.token("bench")
            beside_a_mock(Client(site, token))
            throughput(site, token)
            if "--quick" not in sys.argv:
                many_slow_runs(site, token)
        finally:
            site.stop()


if __name__ == "__main__":
    main()
