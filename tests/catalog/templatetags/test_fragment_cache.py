"""Parts of a page that are drawn once."""

import pytest
from django.template import Context, Template

from catalog.templatetags import fragment_cache

HELLO = "{% load fragment_cache %}{% cached who %}Hello {{ who }}, {{ other }}{% endcached %}"


def test_a_part_is_drawn_once_for_each_of_its_values():
    template = Template(HELLO)

    drawn = [template.render(Context({"who": who, "other": other})) for who, other in (("a", 1), ("b", 2), ("a", 3))]

    assert drawn == ["Hello a, 1", "Hello b, 2", "Hello a, 1"]


def test_a_value_that_is_missing_is_a_value_too():
    assert Template(HELLO).render(Context({"other": 1})) == "Hello , 1"


def test_no_more_versions_are_kept_than_there_is_room_for(monkeypatch):
    monkeypatch.setattr(fragment_cache, "MAX_CACHED", 2)
    template = Template(HELLO)

    for number in range(5):
        assert template.render(Context({"who": number, "other": ""})) == f"Hello {number}, "


@pytest.mark.django_db
def test_each_page_marks_its_own_section_and_greets_its_own_reader(client, django_user_model):
    ada, bob = (django_user_model.objects.create_user(name) for name in ("ada", "bob"))

    for person in (ada, bob, ada):
        client.force_login(person)
        for address, section in (("/", "Catalog"), ("/upload/", "Upload"), ("/", "Catalog")):
            page = client.get(address).content.decode()
            assert f'aria-current="true">{section}</a>' in page
            assert f"?owner={person.username}" in page
    client.logout()
    assert "Sign in" in client.get("/").content.decode()
    assert "My tools" not in client.get("/").content.decode()
