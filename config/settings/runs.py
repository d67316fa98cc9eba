"""How tools run, and on how many processes of the server or of Celery."""

import importlib.util
import os
from typing import Literal

from django.core.exceptions import ImproperlyConfigured

from config import env
from playground.builtin import FACTORIES
from playground.runner.worker.network import Network

TOOL_FACTORIES = [
    *FACTORIES,
    *env.read(
        "TOOL_FACTORIES",
        env.words(),
        "",
        "Dotted paths of factories, in addition to those of installed packages.",
    ),
]
# Environment variables of tools, {name there: name here}: for every tool, and for single factories
# by their ids (`playground/factories/factory_settings.py`). Their values are secrets, except those
# in TOOL_PUBLIC_ENVIRONMENT.
TOOL_ENVIRONMENT: dict[str, str] = env.read(
    "TOOL_ENVIRONMENT",
    env.NAMES,
    "",
    "Environment variables that every tool sees: `NAME`, or `NAME_IN_THE_TOOL=NAME`. "
    "Their values are removed from responses and logs.",
)
TOOL_ENVIRONMENT_BY_FACTORY: dict[str, dict[str, str]] = env.read_by_factory(
    "TOOL_ENVIRONMENT",
    env.NAMES,
    "Variables that one factory sees; `<ID>` is its id in `A-Z`, `0-9` and `_`.",
)
TOOL_PUBLIC_ENVIRONMENT: list[str] = env.read(
    "TOOL_PUBLIC_ENVIRONMENT",
    env.words(),
    "",
    "Variables of tools whose values are not secret, and not removed from responses and logs.",
)
TOOL_NETWORK: Network = env.read(
    "TOOL_NETWORK",
    Network,
    "all",
    "The network that tools can reach; `outward`: public addresses, through a proxy.",
)
TOOL_NETWORK_BY_FACTORY: dict[str, Network] = env.read_by_factory(
    "TOOL_NETWORK", Network, "The network that one factory can reach; `<ID>` as above."
)
RUNNER: str = env.read(
    "TOOLSHELF_RUNNER",
    Literal["celery", "local"],
    "local",
    "Where tools run: in processes of this machine, or on Celery's workers.",
)
# Carries Celery's messages, and counts requests for the limits, so that several web servers share
# them.
REDIS_URL: str = env.read(
    "TOOLSHELF_REDIS",
    env.REDIS,
    "",
    "The Redis server that web servers share for rate limits, and with Celery for runs: "
    "`redis://[user:password@]host[:port][/number]`, `rediss://…` or `redis+socket://…`.",
) or env.read_value("CELERY_BROKER_URL", env.REDIS, os.environ.get("CELERY_BROKER_URL", ""))
if RUNNER == "celery" and not REDIS_URL:
    raise ImproperlyConfigured(
        "TOOLSHELF_RUNNER is 'celery', so TOOLSHELF_REDIS is needed: "
        "redis://[user:password@]host[:port][/number]."
    )
if RUNNER == "celery" and importlib.util.find_spec("celery") is None:
    raise ImproperlyConfigured(
        "TOOLSHELF_RUNNER is 'celery', but Celery for Redis is not installed. `make team` installs "
        "it (the extra 'team' of the distribution)."
    )
WEB_PROCESSES: int = env.read(
    "TOOLSHELF_WEB_PROCESSES", env.number(1), 2, "Processes of the web server."
)
WEB_THREADS: int = env.read("TOOLSHELF_WEB_THREADS", env.number(2), 16, "Threads of each process.")
RUN_SLOTS: int = env.read(
    "TOOLSHELF_RUN_SLOTS",
    env.number(1),
    16,
    "Concurrent runs of all processes of a server, or of a Celery worker.",
)  # concurrent runs of all processes of a server, or of a worker
RUN_QUEUE_MAX = 1000  # runs that wait; further ones are refused with 429
RUN_QUEUE_WAIT_S = 3600  # with Celery: until a worker claims a run
PRELOAD_TOOLS = True  # import the built-in tools at the start, before their first run
DRAIN_S: int = env.read(
    "TOOLSHELF_DRAIN_S",
    env.number(0),
    25,
    "After SIGTERM, active runs have this many seconds to finish; 0: they are stopped immediately.",
)
RUN_TIMEOUT_S: int = env.read(
    "TOOLSHELF_RUN_TIMEOUT_S",
    env.number(1),
    30,
    "The time limit of a run, in seconds, if its caller sets none.",
)
RUN_TIMEOUT_MAX_S: int = env.read(
    "TOOLSHELF_RUN_TIMEOUT_MAX_S",
    env.number(1),
    300,
    "The maximum time limit that a caller can set.",
)
RUN_MEMORY_BYTES: int = env.read(
    "TOOLSHELF_RUN_MEMORY_BYTES",
    env.number(64 * 1024 * 1024),
    1024 * 1024 * 1024,
    "The memory limit of a run.",
)
RUN_RESPONSE_BYTES = 1024 * 1024  # a longer response is stored as a file
RUN_FILE_BYTES: int = env.read(
    "TOOLSHELF_RUN_FILE_BYTES",
    env.number(1024),
    16 * 1024 * 1024,
    "The maximum size of the files of a run's response together, and of a long response that is "
    "stored as one.",
)
RUN_OUTPUT_BYTES = 64 * 1024  # of each stream
RUN_PARAMETERS_BYTES = 1024 * 1024
RUN_BYTES_PER_DAY: int = env.read(
    "TOOLSHELF_RUN_BYTES_PER_DAY",
    env.number(0),
    100 * 1024 * 1024,
    "How many bytes of runs one person may store on one day (UTC), mocks included; 0: no limit.",
)
VISITOR_RUNS: bool = env.read(
    "TOOLSHELF_VISITOR_RUNS",
    bool,
    True,
    "Whether visitors can run the tools that come with Toolshelf; `0`: they get mocks.",
)
RUN_RETENTION_DAYS: int = env.read(
    "TOOLSHELF_RUN_RETENTION_DAYS",
    env.number(0),
    365,
    "Days after which runs are deleted; 0: never.",
)  # 0: forever
