"""Starring tools, on pages and by the API."""

import pytest
from django.contrib.auth.models import Group
from django.template import Context, Template
from selectolax.lexbor import LexborHTMLParser

from catalog.organise.access import Access, change_tool_access
from catalog.organise.lifecycle import archive
from catalog.tools.models import Star
from catalog.tools.stars import star, starred_ids, starred_tools, unstar
from tests.conftest import Program
from tests.factories import make_token, make_tool, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def tool(db):
    return make_tool("greet")


@pytest.fixture
def person(db):
    return make_user("stella")


@pytest.fixture
def team(db):
    return Group.objects.create(name="weather team")


@pytest.fixture
def browser(client, person):
    client.force_login(person)
    return client


def button(html):
    return LexborHTMLParser(html).css_first("button.star")


def test_a_star_is_one_row_however_often_it_is_given(tool, person):
    star(tool, person)
    star(tool, person)

    assert Star.objects.count() == 1
    unstar(tool, person)
    unstar(tool, person)
    assert not Star.objects.exists()


def test_starred_tools_are_listed_last_starred_first_without_archived_and_hidden_ones(person, team):
    tools = {name: make_tool(f"kit.{name}") for name in ("old", "new", "archived", "hidden")}
    for one in tools.values():
        star(one, person)
    archive(tools["archived"])
    change_tool_access(
        tools["hidden"], Access(visibility="groups", groups=["weather team"]), by=None
    )

    assert [one.tool_id for one in starred_tools(person)] == ["kit.new", "kit.old"]
    assert starred_ids(person) == {one.pk for one in tools.values()}


def test_the_form_returns_to_the_page_of_the_button(browser, tool, person):
    page = "http://testserver/tools/?q=greet"

    answer = browser.post(f"/tools/{tool.slug}/star/", {"starred": "1"}, headers={"referer": page})

    assert (answer.status_code, answer["Location"]) == (302, page)
    assert starred_ids(person) == {tool.pk}
    browser.post(f"/tools/{tool.slug}/star/", {"starred": "0"})
    assert starred_ids(person) == set()


@pytest.mark.parametrize("page", ["", "https://evil.example/", "//evil.example/", "javascript:x"])
def test_the_form_does_not_lead_to_another_site(browser, tool, page):
    answer = browser.post(f"/tools/{tool.slug}/star/", {"starred": "1"}, headers={"referer": page})

    assert answer["Location"] == tool.get_absolute_url()


def test_an_htmx_request_gets_the_button_in_its_new_state(browser, tool):
    answer = browser.post(
        f"/tools/{tool.slug}/star/", {"starred": "1"}, headers={"HX-Request": "true"}
    )

    found = button(answer.content.decode())
    assert found.attributes["aria-pressed"] == "true"
    assert (found.attributes["name"], found.attributes["value"]) == ("starred", "0")
    assert found.text().strip() == "Star greet"


def test_a_visitor_is_sent_to_the_sign_in_page(client, tool):
    answer = client.post(f"/tools/{tool.slug}/star/", {"starred": "1"})

    assert answer["Location"].startswith("/sign-in/")
    assert not Star.objects.exists()


def test_a_hidden_tool_cannot_be_starred(browser, tool, team):
    change_tool_access(tool, Access(visibility="groups", groups=["weather team"]), by=None)

    assert browser.post(f"/tools/{tool.slug}/star/", {"starred": "1"}).status_code == 404


def render(**context):
    return Template("{% include 'catalog/tools/_star.html' %}").render(Context(context))


def test_the_button_shows_whether_the_tool_is_starred(tool, person):
    assert button(render(tool=tool, user=person)).attributes["aria-pressed"] == "false"
    star(tool, person)
    assert button(render(tool=tool, user=person)).attributes["aria-pressed"] == "true"
    assert button(render(tool=tool, user=None)) is None


def test_a_list_needs_no_query_for_each_button(tool, person, django_assert_num_queries):
    with django_assert_num_queries(0):
        html = render(tool=tool, user=person, starred=frozenset({tool.pk}))

    assert button(html).attributes["aria-pressed"] == "true"


def test_the_name_of_a_tool_is_escaped(person):
    evil = make_tool("kit.evil", name='"><script>')

    assert "<script>" not in render(tool=evil, user=person)


# -- the API ----------------------------------------------------------------------------------------------------------


def starred_by(program):
    return [one["id"] for one in program.ask("/tools", q="is:starred").json()["items"]]


def test_a_program_stars_lists_and_removes(tool, person):
    program = Program(make_token("read", "run", user=person))

    assert program.send("PUT", f"/tools/{tool.slug}/star").status_code == 204
    assert starred_by(program) == ["greet"]
    assert program.send("DELETE", f"/tools/{tool.slug}/star").status_code == 204
    assert starred_by(program) == []


def test_stars_are_private(tool, person):
    star(tool, person)

    assert starred_by(Program(make_token(user=make_user("otto")))) == []


def test_reading_does_not_suffice_to_star(tool, person):
    program = Program(make_token("read", user=person))

    assert program.send("PUT", f"/tools/{tool.slug}/star").status_code == 403
