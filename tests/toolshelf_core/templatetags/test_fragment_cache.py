"""Fragments of a page that are rendered once."""

import pytest
from django.template import Context, Template

from toolshelf_core.templatetags import fragment_cache

HELLO = "{% load fragment_cache %}{% cached who %}Hello {{ who }}, {{ other }}{% endcached %}"


def test_a_fragment_is_rendered_once_for_each_value():
    template = Template(HELLO)

    drawn = [
        template.render(Context({"who": who, "other": other}))
        for who, other in (("a", 1), ("b", 2), ("a", 3))
    ]

    assert drawn == ["Hello a, 1", "Hello b, 2", "Hello a, 1"]


def test_the_number_of_cached_versions_is_limited(monkeypatch):
    monkeypatch.setattr(fragment_cache, "MAX_VERSIONS", 2)
    template = Template(HELLO)

    for number in range(5):
        assert template.render(Context({"who": number, "other": ""})) == f"Hello {number}, "


@pytest.mark.django_db
def test_each_page_marks_its_section_and_shows_its_user(client, django_user_model):
    ada, bob = (django_user_model.objects.create_user(name) for name in ("ada", "bob"))

    for person in (ada, bob, ada):
        client.force_login(person)
        for address, section in (
            ("/tools/", "Catalog"),
            ("/add/", "Add"),
            ("/tools/", "Catalog"),
        ):
            page = client.get(address).content.decode()
            assert f'aria-current="true">{section}</a>' in page
            assert f"?owner={person.username}" in page
    client.logout()
    assert "Sign in" in client.get("/").content.decode()
    assert "My tools" not in client.get("/").content.decode()
