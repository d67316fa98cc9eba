"""How tools run, and on how many processes of the server or of Celery."""

import importlib.util
from typing import Literal

from django.core.exceptions import ImproperlyConfigured

from config import env
from playground.builtin import FACTORIES
from playground.worker.network import Network

TOOL_FACTORIES = [
    *FACTORIES,
    *env.read(
        "TOOL_FACTORIES",
        env.words(),
        "",
        "Dotted paths of factories, in addition to those of installed packages.",
    ),
]
# Environment variables of tools, {name there: name here}: for every tool, and for single factories by their ids
# (`playground/factories/factory_settings.py`). Their values are secrets, except those in TOOL_PUBLIC_ENVIRONMENT.
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
CELERY_BROKER_URL: str = env.read(
    "CELERY_BROKER_URL",
    env.REDIS,
    "",
    "The Redis server for Celery: `redis://[user:password@]host[:port][/number]`, `rediss://…` or `redis+socket://…`.",
)
if RUNNER == "celery" and not CELERY_BROKER_URL:
    raise ImproperlyConfigured(
        "TOOLSHELF_RUNNER is 'celery', so CELERY_BROKER_URL is needed: redis://[user:password@]host[:port][/number]."
    )
if RUNNER == "celery" and importlib.util.find_spec("celery") is None:
    raise ImproperlyConfigured(
        "TOOLSHELF_RUNNER is 'celery', but Celery for Redis is not installed. `make team` installs it "
        "(the extra 'team' of the distribution)."
    )
# Counts requests for the limits above, so that several web servers share them.
REDIS_URL: str = (
    env.read(
        "TOOLSHELF_REDIS",
        env.REDIS,
        "",
        "The Redis server that web servers share for rate limits, in the form of `CELERY_BROKER_URL`.",
        shown="`CELERY_BROKER_URL`",
    )
    or CELERY_BROKER_URL
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
RUN_QUEUE_MAX: int = env.read(
    "TOOLSHELF_RUN_QUEUE_MAX",
    env.number(0),
    1000,
    "The maximum number of waiting runs; further ones are refused with 429.",
)
RUN_QUEUE_WAIT_S: int = env.read(
    "TOOLSHELF_RUN_QUEUE_WAIT_S",
    env.number(1),
    3600,
    "With Celery: a run that no worker claims within this many seconds ends as `crashed`.",
)  # Celery: until a worker claims a run
WARM_FACTORIES: int = env.read(
    "TOOLSHELF_WARM_FACTORIES",
    env.number(0),
    32,
    "How many factories, besides the built-in ones, each process imports in the background after it "
    "starts; 0: each is imported at its first run.",
)
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
RUN_RESPONSE_BYTES: int = env.read(
    "TOOLSHELF_RUN_RESPONSE_BYTES",
    env.number(1024),
    1024 * 1024,
    "The maximum size of a run's response; a larger one is stored as a file, and its beginning in the run.",
)
RUN_FILE_BYTES: int = env.read(
    "TOOLSHELF_RUN_FILE_BYTES",
    env.number(1024),
    16 * 1024 * 1024,
    "The maximum size of the files of a run's response together, and of a long response that is stored as one.",
)
RUN_OUTPUT_BYTES: int = env.read(
    "TOOLSHELF_RUN_OUTPUT_BYTES",
    env.number(1024),
    64 * 1024,
    "How much of each of a run's output streams is stored.",
)
RUN_PARAMETERS_BYTES: int = env.read(
    "TOOLSHELF_RUN_PARAMETERS_BYTES",
    env.number(1024),
    1024 * 1024,
    "The maximum size of a run's parameters.",
)
RUN_BYTES_PER_DAY: int = env.read(
    "TOOLSHELF_RUN_BYTES_PER_DAY",
    env.number(0),
    100 * 1024 * 1024,
    "How many bytes of runs one person may store on one day (UTC), mocks included; 0: no limit.",
)
RUN_RETENTION_DAYS: int = env.read(
    "TOOLSHELF_RUN_RETENTION_DAYS",
    env.number(0),
    365,
    "Days after which runs are deleted; 0: never.",
)  # 0: forever
