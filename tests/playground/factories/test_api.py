"""The API's operations for factories."""

import pytest

from tests.conftest import Program
from tests.factories import make_token, make_user

pytestmark = pytest.mark.usefixtures("db")


@pytest.fixture
def staff():
    """A program of staff."""
    return Program(make_token(user=make_user("grace", is_staff=True)))


def test_factories_are_listed_for_everybody(client, builtin):
    builtin("convert_units")

    items = client.get("/api/v1/factories").json()["items"]

    found = next(item for item in items if item["tool"] and item["tool"]["id"] == "convert_units")
    assert (found["state"], found["configurable"], found["tool"]["slug"]) == (
        "ok",
        False,
        "convert_units",
    )


# -- new factories ----------------------------------------------------------------------------------------------------


def test_staff_look_for_new_factories(staff, later_factory):
    assert staff.send("POST", "/factories/rescan").json() == {"new": [], "importing": []}
    later_factory.install()

    answer = staff.send("POST", "/factories/rescan")

    assert answer.status_code == 200
    assert answer.json() == {"new": ["later_tools:F"], "importing": []}
    assert staff.get("/api/v1/factories").json()["items"][0]["tool"] == {
        "id": "later",
        "slug": None,
    }


def test_others_may_not_look_for_new_factories(program, stranger):
    refused = program.send("POST", "/factories/rescan")

    assert refused.status_code == 403
    assert (
        refused.json()["detail"]
        == "Only an administrator can reload installed packages. Ask one to do so."
    )
    assert stranger.send("POST", "/factories/rescan").status_code == 401


# -- the specs that factories have themselves -------------------------------------------------------------------------


def test_a_spec_can_be_read_and_published_with_the_upload_operation(program, own_specs):
    spec = program.ask("/factories/own_specs:PricedFactory/spec")

    answer = program.send("POST", "/tools", spec.content)

    assert answer.status_code == 201
    items = program.ask("/factories").json()["items"]
    assert items[0]["tool"]["slug"] == "priced"
    assert items[0]["spec"] == {"state": "same", "verdict": None, "changes": [], "error": None}


def test_the_list_says_where_a_spec_differs(program, own_specs):
    program.send(
        "POST",
        "/tools",
        '{"definition": {"name": "priced", "description": "What an order costs."}}',
    )

    spec = program.ask("/factories").json()["items"][0]["spec"]

    assert (spec["state"], spec["verdict"]) == ("differs", "breaking")
    assert {"parameters", "returnType"} == {change["part"] for change in spec["changes"]}
    assert all(change["message"] and change["after"] for change in spec["changes"])


def test_the_list_says_which_specs_are_new_and_which_are_wrong(program, own_specs):
    states = {
        item["tool"]["id"]: item["spec"] for item in program.ask("/factories").json()["items"]
    }

    assert states["priced"]["state"] == "new"
    assert states["invalid"]["state"] == "invalid"
    assert "must be one of array, boolean" in states["invalid"]["error"]
    assert states["undescribed"]["state"] == "none"
    assert "has no description" in states["undescribed"]["error"]


def test_a_spec_that_is_not_valid_is_422_with_its_problems(program, own_specs):
    answer = program.ask("/factories/own_specs:InvalidFactory/spec")

    assert answer.status_code == 422
    assert answer.json()["errors"][0]["pointer"] == "/definition/parameters/type"


def test_a_factory_without_a_spec_is_422_with_the_reason(program, own_specs):
    answer = program.ask("/factories/own_specs:UndescribedFactory/spec")

    assert answer.status_code == 422
    assert "has no description" in answer.json()["detail"]


def test_an_unknown_factory_is_404(program, own_specs):
    assert program.ask("/factories/nowhere:F/spec").status_code == 404


def test_a_key_of_several_factories_is_409_and_names_them(program, own_registry, tmp_path):
    for directory in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        directory.chmod(0o755)
    for package in ("one", "two"):
        metadata = tmp_path / f"{package}-1.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1\n")
        (metadata / "entry_points.txt").write_text(f"[toolshelf.factories]\nsame = {package}:F\n")
    own_registry(search_path=[str(tmp_path)])

    answer = program.ask("/factories/same/spec")

    assert answer.status_code == 409
    assert answer.json()["detail"].endswith("Send one of their references: one:F, two:F.")
