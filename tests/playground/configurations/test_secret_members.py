import pytest

from playground.configurations.secret_members import Configuration, redactor_of
from playground.form.secret_search import secret_members
from toolspec.schema.validation import compile_schema
from toolspec.secret_names import is_secret_name
from toolspec.text import reader


def members(schema, value):
    return secret_members(compile_schema(schema) if schema is not None else None, value)


@pytest.mark.parametrize("mark", [{"writeOnly": True}, {"format": "password"}, {"x-secret": True}])
def test_a_member_is_secret_if_its_schema_marks_it(mark):
    schema = {"properties": {"a": {"type": "string", **mark}, "b": {"type": "string"}}}

    assert members(schema, {"a": "hunter22", "b": "open"}) == [("/a", "hunter22")]


def test_the_mark_may_be_behind_a_reference_or_in_any_branch():
    schema = {
        "properties": {"a": {"anyOf": [{"$ref": "#/$defs/key"}, {"type": "null"}]}},
        "additionalProperties": {"allOf": [{"writeOnly": True}]},
        "$defs": {"key": {"type": "string", "writeOnly": True}},
    }

    assert members(schema, {"a": "one", "x": "two"}) == [("/a", "one"), ("/x", "two")]


def test_secrets_are_found_in_lists_and_below():
    schema = {
        "properties": {
            "hosts": {
                "items": {"properties": {"login": {"properties": {"word": {"writeOnly": True}}}}}
            },
        }
    }

    found = members(
        schema, {"hosts": [{"login": {"word": "one", "user": "me"}}, {"login": {"word": "two"}}]}
    )

    assert found == [("/hosts/0/login/word", "one"), ("/hosts/1/login/word", "two")]


def test_a_secret_object_is_one_secret():
    schema = {"properties": {"account": {"writeOnly": True}}}

    assert members(schema, {"account": {"user": "me", "word": "hunter22"}}) == [
        ("/account", {"user": "me", "word": "hunter22"})
    ]


def test_without_a_schema_names_determine_secrets():
    assert members(None, {"apiKey": "k-123", "city": "Wien", "db": {"password": "p"}}) == [
        ("/apiKey", "k-123"),
        ("/db/password", "p"),
    ]


@pytest.mark.parametrize(
    "name",
    ["apiKey", "api_key", "API-KEY", "token", "accessToken", "github_token", "password", "passwd", "client_secret",
     "secretAccessKey", "AWS_SECRET_ACCESS_KEY", "privateKey", "authorization", "connectionString", "passphrase",
     "DB_PWD", "licenseKey", "otp", "pat", "refreshToken", "authToken", "sessionToken", "idToken", "pageAccessToken",
     "nextAuthToken", "resume_session_token", "skipAuthToken", "exchangeToken", "next_refresh_token"],
)  # fmt: skip
def test_names_that_suggest_a_secret(name):
    assert is_secret_name(name)


@pytest.mark.parametrize(
    "name",
    [
        "city",
        "keyboard",
        "monkey",
        "maxTokens",
        "token_count",
        "tokenizer",
        "pageToken",
        "PageToken",
        "next_page_token",
        "nextPaginationToken",
        "pagination_token",
        "pagingToken",
        "skiptoken",
        "$skiptoken",
        "$skipToken",
        "$deltatoken",
        "delta_token",
        "resumeToken",
        "resumption-token",
        "continuationToken",
        "x-ms-continuation-token",
        "NextToken",
        "prev_token",
        "previousToken",
        "startToken",
        "starting_token",
        "markerToken",
        "scrollToken",
        "sinceToken",
        "nextSyncToken",
        "newStartPageToken",
        "cursor",
        "cursorToken",
        "secretary",
        "secret_type",
        "sync_token",
        "password_policy",
        "secretName",
        "otpiyon",
    ],
)
def test_names_that_do_not(name):
    assert not is_secret_name(name)


def test_a_configuration_does_not_show_its_value():
    configuration = Configuration({"apiKey": "hunter22"})

    assert "hunter22" not in f"{configuration} {configuration!r} {[configuration]}"


def test_only_equal_configurations_have_the_same_fingerprint():
    one = Configuration(reader.loads('{"a": 1, "b": 2.0}'))
    same = Configuration(reader.loads('{"b": 2, "a": 1}'))
    other = Configuration(reader.loads('{"b": 2, "a": 3}'))

    assert one.fingerprint(b"key") == same.fingerprint(b"key") != other.fingerprint(b"key")
    assert one.fingerprint(b"key") != one.fingerprint(b"another key")


def test_the_redactor_of_a_configuration_removes_only_its_secrets():
    schema = compile_schema(
        {"properties": {"pin": {"writeOnly": True}, "unit": {"enum": ["celsius"]}}}
    )

    redactor = redactor_of(Configuration({"pin": 90125, "unit": "celsius"}).secrets(schema))

    assert redactor.text("pin 90125 in celsius") == "pin [secret] in celsius"


@pytest.mark.parametrize("secret", ["short", "x" * 100, 5, {"deep": "inside"}])
def test_an_error_does_not_quote_the_value(secret):
    deep = {
        "properties": {"deep": {"minLength": 90}},
        "type": ["string", "object"],
        "minLength": 90,
        "maxLength": 95,
    }
    schema = compile_schema({"properties": {"key": {"writeOnly": True, **deep}}})
    value = {"key": secret}

    result = schema.check(value)

    assert result.problems
    assert not any(piece in str(result.violations) for piece in ("short", "xxx", "inside", "5 is"))
