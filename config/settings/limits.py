"""How much clients may send, and how often."""

from accounts.cell_rate import Rate
from config import env

MAX_SPEC_BYTES: int = env.read(
    "TOOLSHELF_MAX_SPEC_BYTES", env.number(1024), 1024 * 1024, "The maximum size of a spec."
)
MAX_DOCUMENT_BYTES: int = env.read(
    "TOOLSHELF_MAX_DOCUMENT_BYTES",
    env.number(1024),
    32 * 1024 * 1024,
    "The maximum size of a document of several tools, such as an OpenAPI document, uploaded or "
    "fetched.",
)
MAX_REQUEST_BYTES = (
    64 * 1024 * 1024
)  # the largest is a source with its document, which is escaped in JSON
MAX_UPLOAD_BYTES = 8 * 1024 * 1024  # of all files together
MAX_UPLOAD_SPECS = 2_000
# A form is at most one value of 1 MiB; files are streamed to the disk and bounded by
# MAX_REQUEST_BYTES.
DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 4000
DATA_UPLOAD_MAX_NUMBER_FILES = 2000
FILE_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
# A client that reads a response at less than 16 KiB/s for this long is disconnected. Unread
# responses occupy memory: at most this many bytes, for all large responses of one process together.
WRITE_TIMEOUT_S = 30
UNREAD_RESPONSE_BYTES = 64 * 1024 * 1024
# How often one person or address may call the API, upload, and start runs.
API_RATE: Rate | None = env.read(
    "TOOLSHELF_API_RATE",
    env.RATE,
    "12000/min",
    "API requests of one person, or of one address without a token; `off` for no limit.",
)
UPLOAD_RATE: Rate | None = env.read(
    "TOOLSHELF_UPLOAD_RATE",
    env.RATE,
    "6000/10min",
    "Uploads of one person, through pages and the API; `off` for no limit.",
)
RUN_RATE: Rate | None = env.read(
    "TOOLSHELF_RUN_RATE",
    env.RATE,
    "12000/10min",
    "Runs that one person starts, through pages and the API; `off` for no limit.",
)
