"""The duration of a refusal gives no hint to people who guess: each costs one hash of the password that was typed."""

import pytest
from django.contrib.auth.hashers import Argon2PasswordHasher

from accounts.models import User
from config import settings as site_settings


class CountingHasher(Argon2PasswordHasher):
    """The site's own hasher; it counts the hashes that it computes."""

    hashes = 0

    def encode(self, password, salt):
        CountingHasher.hashes += 1
        return super().encode(password, salt)

    def verify(self, password, encoded):
        CountingHasher.hashes += 1
        return super().verify(password, encoded)


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["known", "unknown", "without-password"])
def test_a_refused_sign_in_costs_one_hash_whoever_it_names(name, client, settings):
    assert site_settings.PASSWORD_HASHERS == ["django.contrib.auth.hashers.Argon2PasswordHasher"]
    settings.PASSWORD_HASHERS = ["tests.accounts.test_password_work.CountingHasher"]
    User.objects.create_user("known", password="correct horse battery")
    User.objects.create_user("without-password")
    before = CountingHasher.hashes

    answer = client.post("/sign-in/", {"username": name, "password": "a wrong one"})

    assert answer.status_code == 200
    assert CountingHasher.hashes - before == 1
