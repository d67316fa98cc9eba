"""Secrets in forms: kept, replaced, removed, and never written into the page."""

from cryptography.fernet import Fernet, InvalidToken

from playground import form as schema_form
from playground.form.values import ABSENT
from tests.playground.form.use import FormInUse

MARKER = "s3cr3t-9f2c"
SCHEMA = {
    "type": "object",
    "properties": {
        "key": {"type": "string", "writeOnly": True},
        "user": {"type": "string"},
        "hosts": {
            "type": "array",
            "items": {
                "properties": {
                    "token": {"type": "string", "format": "password"},
                    "name": {"type": "string"},
                }
            },
        },
    },
}
STORED = {
    "key": MARKER,
    "user": "ada",
    "hosts": [{"token": MARKER + "0", "name": "a"}, {"token": MARKER + "1", "name": "b"}],
}


class Sealed:
    """A seal that nobody can open but itself."""

    def __init__(self):
        self._fernet = Fernet(Fernet.generate_key())

    def seal(self, text):
        return self._fernet.encrypt(text.encode()).decode()

    def unseal(self, token):
        try:
            return self._fernet.decrypt(token).decode()
        except InvalidToken:
            return None


def form_in_use(value=ABSENT, schema=None, stored=ABSENT):
    return FormInUse(schema or SCHEMA, value, stored=stored, seal=Sealed())


def test_a_stored_secret_is_retained_and_not_shown():
    form = form_in_use(STORED, stored=STORED)

    assert MARKER not in form.html
    assert form.send().value == STORED
    assert MARKER not in form.html


def test_a_secret_is_replaced_by_typed_text():
    form = form_in_use(STORED, stored=STORED)

    assert form.type("p", "/.key", "new").send().value["key"] == "new"


def test_a_secret_is_removed():
    form = form_in_use(STORED, stored=STORED)

    assert "key" not in form.type("d", "/.key", "1").send().value


def test_a_typed_secret_survives_an_error_and_is_not_shown():
    form = form_in_use({})

    form.type("t", "/.key", MARKER).type("t", "/.user", "ada").press("item", "/.hosts")

    assert MARKER not in form.html
    assert form.value["key"] == MARKER
    assert form.send().value["key"] == MARKER


def test_a_secret_is_not_shown_as_json_either_and_survives_the_way_there_and_back():
    form = form_in_use(STORED, stored=STORED)

    form.press("view", detail="json")
    assert MARKER not in form.html
    assert form.send().value == STORED
    form.press("view", detail="fields")
    assert MARKER not in form.html
    assert form.send().value == STORED


def test_a_secret_in_json_that_was_typed_is_hidden_at_once():
    form = form_in_use({})

    form.press("view", detail="json").type(
        "e", "", '{"key": "' + MARKER + '", "user": "ada"}'
    ).send()

    assert MARKER not in form.html
    assert form.value == {"key": MARKER, "user": "ada"}


def test_a_secret_in_json_with_a_mistake_in_it_is_hidden_and_not_lost():
    form = form_in_use({})

    form.press("view", detail="json").type(
        "e", "", '{"user": "ada", "key": "' + MARKER + '",}'
    ).send()
    assert MARKER not in form.html
    assert '"user": "ada"' in form.node().text
    form.type("e", "", form.node().text.replace(",}", "}")).send()

    assert form.value == {"key": MARKER, "user": "ada"}


def test_a_secret_goes_with_its_row():
    form = form_in_use(STORED, stored=STORED)

    form.press("down", "/.hosts/@0").send()

    assert [host["token"] for host in form.value["hosts"]] == [MARKER + "1", MARKER + "0"]


def test_a_token_at_a_path_that_is_not_secret_reveals_nothing():
    form = form_in_use(STORED, stored=STORED)

    pairs = [
        *form.page.submit(typed={"parameters:t:/.user": []}),
        ("parameters:c:/.user", "stored:/key"),
    ]
    form.show(schema_form.read_submission(form.schema, pairs, name="parameters", **form.options))

    assert MARKER not in form.html
    assert form.value.get("user") != MARKER


def test_a_foreign_token_is_a_problem_and_no_secret():
    form = form_in_use(STORED, stored=STORED)

    form.type("c", "/.key", "encrypted:nonsense").send()

    assert not form.is_valid
    assert "enter it again" in form.node("/.key").head.errors[0]


def test_a_preview_hides_the_value_of_a_secret():
    preview = form_in_use(STORED, stored=STORED).submission.preview.text

    assert MARKER not in preview
    assert '"key": "••••••••"' in preview


def test_the_snapshot_of_another_branch_is_encrypted():
    schema = {
        "oneOf": [
            {
                "title": "Key",
                "type": "object",
                "properties": {"key": {"type": "string", "writeOnly": True}},
            },
            {"title": "User", "type": "object", "properties": {"user": {"type": "string"}}},
        ]
    }
    form = form_in_use({"key": MARKER}, schema)

    form.pick_branch("", "/oneOf=1")
    assert MARKER not in form.html
    assert form.pick_branch("", "/oneOf=0").send().value == {"key": MARKER}


def test_a_secret_object_and_a_secret_number_are_hidden_whole():
    schema = {
        "properties": {
            "login": {"type": "object", "writeOnly": True},
            "pin": {"type": "integer", "x-secret": True},
        }
    }
    stored = {"login": {"a": MARKER}, "pin": 774411}
    form = form_in_use(stored, schema, stored)

    assert MARKER not in form.html
    assert "774411" not in form.html
    assert form.send().value == stored


def test_a_secret_in_a_folded_list_is_not_shown():
    stored = {"hosts": [{"token": f"{MARKER}{n}", "name": "x"} for n in range(500)]}
    form = form_in_use(stored, stored=stored)

    assert MARKER not in form.html
    assert form.send().value == stored
    run = next(path for path in form.kinds() if "@~" in path)
    assert MARKER not in form.press("open", run).html
    assert form.send().value == stored


def test_an_empty_secret_is_an_empty_control():
    form = form_in_use({})

    assert form.page.by_id("parameters:/.key").attributes["type"] == "password"
    assert form.send().value == {}


def test_a_form_lists_the_paths_of_secrets_that_a_browser_must_not_store():
    schema = {
        "type": "object",
        "properties": {
            "key": {"type": "string", "writeOnly": True},
            "open": {"type": "string"},
            "login": {
                "type": "object",
                "x-secret": True,
                "properties": {"user name": {"type": "string"}},
            },
        },
    }

    assert FormInUse(schema, {"login": {}}).submission.form.secrets == ("/.key/", "/.login/")
    assert FormInUse({"type": "object"}, {}).submission.form.secrets is None


def test_a_few_secrets_in_a_long_list_are_hidden_and_come_back():
    hosts = [{"name": f"host {number}"} for number in range(5_000)]
    for number in (0, 300, 4_999):
        hosts[number]["token"] = f"{MARKER}{number}"
    value = {"user": "ada", "hosts": hosts}

    for stored in (value, ABSENT):
        form = form_in_use(value, stored=stored)

        assert MARKER not in form.html
        assert form.send().value == value
        assert MARKER not in form.html


def test_only_the_branch_of_a_row_determines_its_secrets():
    branches = [
        {
            "properties": {"kind": {"const": "open"}, "word": {"type": "string"}},
            "required": ["kind"],
        },
        {
            "properties": {"kind": {"const": "hidden"}, "word": {"writeOnly": True}},
            "required": ["kind"],
        },
    ]
    rows = [{"kind": "open", "word": f"word {number}"} for number in range(2_000)]
    rows[1_500:1_501] = [{"kind": "hidden", "word": MARKER}]

    form = form_in_use(rows[1_400:1_600] * 2, schema={"items": {"anyOf": branches}})

    assert MARKER not in form.html
    assert "word 1450" in form.html
    assert form.send().value == rows[1_400:1_600] * 2


def test_a_list_with_too_many_secrets_is_hidden_as_a_whole():
    value = {"user": "ada", "hosts": [{"token": f"{MARKER}{number}"} for number in range(3_000)]}

    form = form_in_use(value)

    assert MARKER not in form.html
