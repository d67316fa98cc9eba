"""A web server with a Redis of its own and, when it is wanted, a worker of Celery, over one data directory."""

import json
import signal
import subprocess
import sys
import time
import urllib.request

import redis

from tests.site import ROOT, Site, free_port
from tests.site_accounts import token

LONG = {"parameters": {"steps": 60, "seconds": 60}, "wait_s": 0, "timeout_s": 120}
METRICS_TOKEN = "the-token-of-a-scraper"


class Team:
    """A web server and a Redis, with or without a worker."""

    def __init__(self, directory, *, queue_max=6, **environment):
        self.directory = directory
        self.port = free_port()
        self.redis = redis.Redis(port=self.port)
        self.start_redis()
        self.environment = {
            "TOOLSHELF_RUNNER": "celery",
            "TOOLSHELF_REDIS": f"redis://127.0.0.1:{self.port}",
            "TOOLSHELF_WEB_PROCESSES": "1",
            "TOOLSHELF_RUN_SLOTS": "4",
            "LOG_LEVEL": "INFO",
            "TOOLSHELF_METRICS_TOKEN": METRICS_TOKEN,
            **environment,
        }
        self.settings = {"RUN_QUEUE_MAX": queue_max}
        self.worker = None
        self.site = None
        self.site = Site(directory, settings=self.settings, **self.environment)
        self.token = token(self.site, "tester")

    def start_redis(self):
        """A Redis without persistence: it forgets its queue when it ends."""
        local = ["--bind", "127.0.0.1", "--port", str(self.port)]
        self.server = subprocess.Popen(
            ["redis-server", *local, "--save", "", "--dir", self.directory],
            stdout=subprocess.DEVNULL,
        )
        until(self.redis_answers)

    def stop_redis(self, how=signal.SIGTERM):
        self.server.send_signal(how)
        self.server.wait(20)

    def redis_answers(self):
        try:
            return self.redis.ping()
        except redis.ConnectionError:
            return False

    def with_worker(self):
        if self.worker is None:
            starts = self.worker_log().count(" ready.")
            with (self.directory / "worker.log").open("ab") as log:
                self.worker = subprocess.Popen(
                    [sys.executable, "-m", "celery", "-A", "config.celery", "worker"],
                    cwd=ROOT,
                    env=self.site.environment,
                    stdout=log,
                    stderr=log,
                )
            until(lambda: self.worker_log().count(" ready.") > starts, timeout_s=180)
        return self

    def without_worker(self):
        if self.worker is not None:
            self.worker.terminate()
            self.worker.wait(20)
            self.worker = None
        return self

    def kill_worker(self):
        self.worker.kill()
        self.worker.wait(10)
        self.worker = None

    def worker_log(self):
        log = self.directory / "worker.log"
        return log.read_text() if log.exists() else ""

    def close(self):
        self.without_worker()
        if self.site is not None:
            self.site.stop()
        self.redis.close()
        self.server.send_signal(signal.SIGCONT)
        self.server.terminate()
        self.server.wait(10)

    def ask(self, path, body=None):
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"{self.site.url}/api/v1{path}", data=data, headers=headers
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def run(self, tool, parameters, **more):
        return self.ask(f"/tools/{tool}/runs", {"parameters": parameters, "wait_s": 30, **more})

    def start(self, tool="count_slowly", **more):
        return self.ask(f"/tools/{tool}/runs", {**LONG, **more})["id"]

    def outcome(self, run):
        return self.ask(f"/runs/{run}")["outcome"]

    def cancel(self, run):
        return self.ask(f"/runs/{run}/cancel", {})

    def page(self, path, **headers):
        request = urllib.request.Request(f"{self.site.url}{path}", headers=headers)
        with urllib.request.urlopen(request, timeout=60) as answer:
            return answer.read().decode()

    def metrics(self):
        return self.page("/metrics", Authorization=f"Bearer {METRICS_TOKEN}")

    def numbers(self):
        """The metrics of the web server."""
        lines = self.metrics().splitlines()
        return {
            name: float(value)
            for name, _, value in (line.rpartition(" ") for line in lines if line[0] != "#")
        }


def until(condition, timeout_s=60):
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "it did not come about in time"
        time.sleep(0.05)
