"""A file can be chosen wherever a schema expects bytes, and is sent as the schema says."""

import base64

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from selectolax.lexbor import LexborHTMLParser

from catalog.tools.publishing import publish
from playground.form import Upload
from tests.factories import properties
from tests.field import field_input
from tests.playground.form.use import FormInUse
from tests.playground.history.test_pages import text_of
from toolspec.imports import import_document
from toolspec.spec import read_spec

BINARY = {"type": "string", "format": "binary"}
AS_DATA_URL = "data:image/png;name=a%20b.png;base64,AP8="
AS_BASE64 = "AP8="


@pytest.mark.django_db
def test_files_of_an_openapi_operation_are_chosen_on_the_page_to_try_it(client):
    [imported] = import_document(field_input("form-file-picker-binary")["document"]).specs
    tool = publish(read_spec(imported.text), by=None).tool
    url = reverse("playground:try", args=[tool.slug])
    page = LexborHTMLParser(client.get(url).content)
    names = [control.attributes["name"] for control in page.css("input[type=file]")]
    [file, scan] = names
    encodings = {
        control.attributes["name"]: control.attributes["value"]
        for control in page.css("#trial input[type=hidden][name^=parameters]")
    }
    chosen = {
        file: SimpleUploadedFile("p.png", b"hi", content_type="image/png"),
        scan: SimpleUploadedFile("s.bin", b"hi", content_type="application/octet-stream"),
    }

    answer = client.post(url, {**encodings, **chosen, "use": "refresh"})

    preview = text_of(answer, "#preview")
    hi = base64.b64encode(b"hi").decode()
    assert f"data:image/png;name=p.png;base64,{hi}" in preview
    assert f'"{hi}"' in preview


@pytest.mark.parametrize(
    ("schema", "text"),
    [
        (BINARY, AS_DATA_URL),
        ({"format": "binary"}, AS_DATA_URL),
        ({"type": ["string", "null"], "format": "binary"}, AS_DATA_URL),
        ({"$ref": "#/$defs/File"}, AS_DATA_URL),
        ({"allOf": [{"$ref": "#/$defs/File"}], "description": "A picture."}, AS_DATA_URL),
        ({"anyOf": [{"$ref": "#/$defs/File"}, {"type": "null"}]}, AS_DATA_URL),
        ({"oneOf": [{"type": "null"}, BINARY]}, AS_DATA_URL),
        ({"type": "string", "contentMediaType": "application/octet-stream"}, AS_DATA_URL),
        ({"type": "string", "contentMediaType": "image/*"}, AS_DATA_URL),
        ({"type": "string", "format": "byte"}, AS_BASE64),
        ({"type": "string", "format": "base64"}, AS_BASE64),
        ({"type": "string", "format": "base64url"}, "AP8="),
        (
            {"type": "string", "contentEncoding": "base64", "contentMediaType": "image/png"},
            AS_BASE64,
        ),
        ({"type": "string", "contentEncoding": "base64", "format": "binary"}, AS_BASE64),
        ({"type": "string", "contentEncoding": "base16"}, "00FF"),
    ],
    ids=str,
)
@pytest.mark.parametrize("is_required", [True, False], ids=["required", "optional"])
def test_a_file_is_sent_as_the_schema_of_its_string_says(schema, text, is_required):
    whole = {
        **properties(a=schema),
        "$defs": {"File": BINARY},
        "required": ["a"] if is_required else [],
    }
    form = FormInUse(whole)

    form.choose_file("/.a", "a b.png", b"\x00\xff").send()

    assert form.value == {"a": text}
    assert form.node("/.a").size == 2


@pytest.mark.parametrize("items", [BINARY, {"$ref": "#/$defs/File"}], ids=str)
@pytest.mark.parametrize(
    "wrap", [lambda schema: schema, lambda schema: {"anyOf": [schema, {"type": "null"}]}]
)
def test_a_file_is_chosen_for_each_item_of_a_list(items, wrap):
    schema = {
        **properties(pages=wrap({"type": "array", "items": items})),
        "$defs": {"File": BINARY},
    }
    form = FormInUse(schema, {"pages": []})

    form.press("item", "/.pages").press("item", "/.pages")
    form.choose_file("/.pages/@0", "a.txt", b"a").choose_file("/.pages/@1", "b", b"b").send()

    assert form.value == {
        "pages": [
            "data:text/plain;name=a.txt;base64,YQ==",
            "data:application/octet-stream;name=b;base64,Yg==",
        ]
    }


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "string", "contentMediaType": "text/html"},
        {"type": "string", "contentMediaType": "application/json"},
        {"type": "string", "contentMediaType": "application/problem+json; charset=utf-8"},
        {"type": "string", "format": "date"},
        {"type": "string"},
    ],
    ids=str,
)
def test_text_is_typed(schema):
    form = FormInUse(properties(a=schema), {"a": "x"})

    assert form.node("/.a").template == "text"


@pytest.mark.parametrize("value", ["", "plain text", AS_DATA_URL, "data:,x", "é\nü"])
def test_what_stood_in_the_field_of_a_file_stays(value):
    assert FormInUse(properties(a=BINARY), {"a": value}).send().value == {"a": value}


@pytest.mark.parametrize("media", ["", "x", "image/png;base64,evil", "a/b c", "text/html,<script>"])
def test_a_media_type_that_is_none_is_guessed_by_the_name(media):
    form = FormInUse(properties(a=BINARY))

    form.files.append(("parameters:f:/.a", Upload('"x;,".png', b"a", media)))

    assert form.send().value == {"a": "data:image/png;name=%22x%3B%2C%22.png;base64,YQ=="}
