"""Where the site stores its data."""

from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from config import env
from config.start_faults import find_emptied_database

BASE_DIR = Path(__file__).resolve().parents[2]

DATA_DIR = Path(
    env.read(
        "TOOLSHELF_DATA_DIR",
        str,
        str(BASE_DIR / "var"),
        "The folder for the database, generated keys and collected static files.",
        default_text="`var`",
    )
).resolve()
DATA_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
DATABASES = {
    "default": env.read(
        "DATABASE_URL",
        env.DATABASE,
        "",
        "`sqlite:////absolute/path` or `postgresql://user:password@host:port/name`.",
        default_text="SQLite in the data directory",
    )
    or {**env.SQLITE, "NAME": DATA_DIR / "toolshelf.sqlite3"}
}
if fault := find_emptied_database(DATABASES["default"]["NAME"], DATA_DIR):
    raise ImproperlyConfigured(fault)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
