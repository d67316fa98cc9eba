"""How tools run, and on how many processes of the server or of Celery."""

from config import env
from playground.builtin import FACTORIES
from playground.worker.network import NETWORKS, Network

TOOL_FACTORIES = [
    *FACTORIES,
    *env.words(
        "TOOL_FACTORIES",
        meaning="Dotted paths of factories, in addition to those of installed packages.",
    ),
]
# Environment variables of tools, {name there: name here}: for every tool, and for single factories by their ids
# (`playground/factories/factory_settings.py`). Their values are secrets, except those in TOOL_PUBLIC_ENVIRONMENT.
TOOL_ENVIRONMENT = env.variables(
    "TOOL_ENVIRONMENT",
    meaning="Environment variables that every tool sees: `NAME`, or `NAME_IN_THE_TOOL=NAME`. "
    "Their values are removed from responses and logs.",
)
TOOL_ENVIRONMENT_BY_FACTORY = {
    factory_id: env.variables(name)
    for factory_id, name in env.by_factory(
        "TOOL_ENVIRONMENT",
        meaning="Variables that one factory sees; `<ID>` is its id in `A-Z`, `0-9` and `_`.",
    ).items()
}
TOOL_PUBLIC_ENVIRONMENT = env.words(
    "TOOL_PUBLIC_ENVIRONMENT",
    meaning="Variables of tools whose values are not secret, and not removed from responses and logs.",
)
TOOL_NETWORK: Network = env.choice(
    "TOOL_NETWORK",
    "all",
    NETWORKS,
    meaning="The network that tools can reach; `outward`: public addresses, through a proxy.",
)
TOOL_NETWORK_BY_FACTORY: dict[str, Network] = {
    factory_id: env.choice(name, "all", NETWORKS)
    for factory_id, name in env.by_factory(
        "TOOL_NETWORK", meaning="The network that one factory can reach; `<ID>` as above."
    ).items()
}
RUNNER = env.choice(
    "TOOLSHELF_RUNNER",
    "local",
    {"local", "celery"},
    meaning="Where tools run: in processes of this machine, or on Celery's workers.",
)
CELERY_BROKER_URL = env.broker(
    "CELERY_BROKER_URL",
    is_used=RUNNER == "celery",
    meaning="The Redis server for Celery: `redis://[user:password@]host[:port][/number]`, `rediss://…` or `redis+socket://…`.",
)
# Counts requests for the limits above, so that several web servers share them.
REDIS_URL = (
    env.redis(
        "TOOLSHELF_REDIS",
        meaning="The Redis server that web servers share for rate limits, in the form of `CELERY_BROKER_URL`.",
        shown="`CELERY_BROKER_URL`",
    )
    or CELERY_BROKER_URL
)
WEB_PROCESSES = env.number(
    "TOOLSHELF_WEB_PROCESSES", 2, minimum=1, meaning="Processes of the web server."
)
WEB_THREADS = env.number("TOOLSHELF_WEB_THREADS", 16, minimum=2, meaning="Threads of each process.")
RUN_SLOTS = env.number(
    "TOOLSHELF_RUN_SLOTS",
    16,
    minimum=1,
    meaning="Concurrent runs of all processes of a server, or of a Celery worker.",
)  # concurrent runs of all processes of a server, or of a worker
RUN_QUEUE_MAX = env.number(
    "TOOLSHELF_RUN_QUEUE_MAX",
    1000,
    minimum=0,
    meaning="The maximum number of waiting runs; further ones are refused with 429.",
)
RUN_QUEUE_WAIT_S = env.number(
    "TOOLSHELF_RUN_QUEUE_WAIT_S",
    3600,
    minimum=1,
    meaning="With Celery: a run that no worker claims within this many seconds ends as `crashed`.",
)  # Celery: until a worker claims a run
WARM_FACTORIES = env.number(
    "TOOLSHELF_WARM_FACTORIES",
    32,
    meaning="How many factories, besides the built-in ones, each process imports in the background after it "
    "starts; 0: each is imported at its first run.",
)
DRAIN_S = env.number(
    "TOOLSHELF_DRAIN_S",
    25,
    meaning="After SIGTERM, active runs have this many seconds to finish; 0: they are stopped immediately.",
)
RUN_TIMEOUT_S = env.number(
    "TOOLSHELF_RUN_TIMEOUT_S",
    30,
    minimum=1,
    meaning="The time limit of a run, in seconds, if its caller sets none.",
)
RUN_TIMEOUT_MAX_S = env.number(
    "TOOLSHELF_RUN_TIMEOUT_MAX_S",
    300,
    minimum=1,
    meaning="The maximum time limit that a caller can set.",
)
RUN_MEMORY_BYTES = env.number(
    "TOOLSHELF_RUN_MEMORY_BYTES",
    1024 * 1024 * 1024,
    minimum=64 * 1024 * 1024,
    meaning="The memory limit of a run.",
)
RUN_RESPONSE_BYTES = env.number(
    "TOOLSHELF_RUN_RESPONSE_BYTES",
    1024 * 1024,
    minimum=1024,
    meaning="The maximum size of a run's response; a larger one is stored as a file, and its beginning in the run.",
)
RUN_FILE_BYTES = env.number(
    "TOOLSHELF_RUN_FILE_BYTES",
    16 * 1024 * 1024,
    minimum=1024,
    meaning="The maximum size of the files of a run's response together, and of a long response that is stored as one.",
)
RUN_OUTPUT_BYTES = env.number(
    "TOOLSHELF_RUN_OUTPUT_BYTES",
    64 * 1024,
    minimum=1024,
    meaning="How much of each of a run's output streams is stored.",
)
RUN_PARAMETERS_BYTES = env.number(
    "TOOLSHELF_RUN_PARAMETERS_BYTES",
    1024 * 1024,
    minimum=1024,
    meaning="The maximum size of a run's parameters.",
)
RUN_BYTES_PER_DAY = env.number(
    "TOOLSHELF_RUN_BYTES_PER_DAY",
    100 * 1024 * 1024,
    meaning="How many bytes of runs one person may store on one day (UTC), mocks included; 0: no limit.",
)
RUN_RETENTION_DAYS = env.number(
    "TOOLSHELF_RUN_RETENTION_DAYS", 365, meaning="Days after which runs are deleted; 0: never."
)  # 0: forever
