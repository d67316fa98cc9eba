import pytest
from django.db import connections


@pytest.fixture(scope="session")
def django_db_modify_db_settings(tmp_path_factory):
    """A file of this session's own: runs are written down by other threads, which a database in memory cannot take."""
    database = connections["default"].settings_dict
    if database["ENGINE"] == "django.db.backends.sqlite3":
        database["TEST"]["NAME"] = tmp_path_factory.mktemp("database") / "test.sqlite3"
