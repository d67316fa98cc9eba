import pytest
from django.core.management import call_command

from playground.configurations.models import SavedConfiguration
from playground.configurations.saved import hide_secrets, open_configuration, save_configuration
from playground.configurations.secret_members import Configuration
from tests.factories import make_tool
from toolshelf_core.encryption import Unreadable
from toolspec.errors import DocumentError
from toolspec.schema.validation import compile_schema

pytestmark = pytest.mark.django_db

SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "key": {"type": "string", "writeOnly": True},
        "login": {"properties": {"password": {"format": "password"}, "user": {"type": "string"}}},
    },
}
COMPILED = compile_schema(SCHEMA)


@pytest.fixture
def tool():
    return make_tool(configuration=SCHEMA)


def save(owner, tool, value, name="work", **more):
    return save_configuration(owner, tool, name, Configuration(value), COMPILED, **more)


def test_secrets_are_listed_as_set_but_not_shown(ada, tool):
    saved = save(
        ada,
        tool,
        {"city": "Wien", "key": "hunter22", "login": {"user": "me", "password": "p4ssw0rd"}},
    )

    seen = hide_secrets(saved, COMPILED)

    assert seen.value == {"city": "Wien", "login": {"user": "me"}}
    assert set(seen.secrets) == {"/key", "/login/password"}


def test_a_secret_that_is_left_out_stays_with_its_date(ada, tool):
    first = hide_secrets(
        save(ada, tool, {"city": "Wien", "key": "hunter22", "login": {"password": "p4ssw0rd"}}),
        COMPILED,
    )

    saved = save(ada, tool, {"city": "Graz", "key": "another1"})

    assert open_configuration(saved, by=None).value == {
        "city": "Graz",
        "key": "another1",
        "login": {"password": "p4ssw0rd"},
    }
    now = hide_secrets(saved, COMPILED)
    assert now.secrets["/login/password"] == first.secrets["/login/password"]
    assert now.secrets["/key"] > first.secrets["/key"]
    assert SavedConfiguration.objects.count() == 1


@pytest.mark.parametrize("name", ["", "  ", "a" * 101, "two\nlines"])
def test_a_name_is_one_short_line(ada, tool, name):
    with pytest.raises(DocumentError):
        save(ada, tool, {}, name=name)


def test_only_an_object_is_a_configuration(ada, tool):
    with pytest.raises(DocumentError):
        save(ada, tool, [1])


def test_the_number_of_configurations_for_one_tool_is_bounded(ada, tool, monkeypatch):
    monkeypatch.setattr("playground.configurations.saved.MAX_PER_TOOL", 2)
    for number in range(2):
        save(ada, tool, {}, name=f"n{number}")

    with pytest.raises(DocumentError, match="at most 2"):
        save(ada, tool, {}, name="one more")


def test_after_a_rotation_the_old_key_can_go(ada, tool, settings):
    settings.CONFIGURATION_KEYS = ["old"]
    saved = save(ada, tool, {"key": "hunter22"})
    settings.CONFIGURATION_KEYS = ["new", "old"]

    call_command("rotate_configurations")

    settings.CONFIGURATION_KEYS = ["new"]
    saved.refresh_from_db()
    assert open_configuration(saved, by=None).value == {"key": "hunter22"}


def test_without_its_key_a_configuration_is_reported_as_unreadable(ada, tool, settings):
    settings.CONFIGURATION_KEYS = ["old"]
    saved = save(ada, tool, {"city": "Wien"})
    settings.CONFIGURATION_KEYS = ["new"]

    assert not hide_secrets(saved, COMPILED).is_readable
    with pytest.raises(Unreadable):
        open_configuration(saved, by=None)
    with pytest.raises(SystemExit):
        call_command("rotate_configurations")


def test_a_configuration_that_can_no_longer_be_read_can_be_saved_again(ada, tool, settings):
    settings.CONFIGURATION_KEYS = ["old"]
    save(ada, tool, {"city": "Wien"})
    settings.CONFIGURATION_KEYS = ["new"]

    saved = save(ada, tool, {"city": "Graz"})

    assert open_configuration(saved, by=None).value == {"city": "Graz"}
