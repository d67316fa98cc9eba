"""ID tokens and metadata that are not what they should be, from a provider that this test plays."""

from __future__ import annotations

import json
import time
from types import SimpleNamespace
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from django.test import Client

from accounts.models import User
from tests.http_server import local_server

pytestmark = pytest.mark.django_db

KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
OTHER_KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)


def published(key: rsa.RSAPrivateKey) -> dict:
    return {
        **jwt.algorithms.RSAAlgorithm.to_jwk(key.public_key(), as_dict=True),
        "kid": "k",
        "use": "sig",
    }


@pytest.fixture
def played(settings):
    """A provider whose answers the test decides: `metadata`, `keys`, `id_token`, `userinfo`."""
    play = SimpleNamespace(
        metadata={}, keys=[published(KEY)], id_token=None, userinfo={"sub": "subject"}
    )

    def answer(request):
        found = {
            "/.well-known/openid-configuration": {
                "issuer": server.url,
                "authorization_endpoint": f"{server.url}/authorize",
                "token_endpoint": f"{server.url}/token",
                "jwks_uri": f"{server.url}/keys",
                "userinfo_endpoint": f"{server.url}/userinfo",
                **play.metadata,
            },
            "/token": {"access_token": "a", "token_type": "Bearer", "id_token": play.id_token},
            "/keys": {"keys": play.keys},
            "/userinfo": play.userinfo,
        }[urlsplit(request.path).path]
        body = json.dumps(found).encode()
        request.send_response(200)
        request.send_header("Content-Type", "application/json")
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body)

    with local_server(answer) as server:
        settings.OIDC_ISSUER, settings.OIDC_CLIENT_ID, settings.OIDC_PEOPLE = (
            server.url,
            "toolshelf",
            "any",
        )
        play.issuer = server.url
        yield play


def sign_in(play, *, key=KEY, algorithm="RS256", header=None, without=(), **claims):
    """The answer of the site to an ID token with these claims."""
    client = Client()
    query = parse_qs(urlsplit(client.post("/oidc/")["Refresh"].split("url=", 1)[1]).query)
    now = int(time.time())
    usual = {"iss": play.issuer, "sub": "subject", "aud": "toolshelf", "exp": now + 60, "iat": now}
    content = {**usual, "nonce": query["nonce"][0], **claims}
    content = {name: value for name, value in content.items() if name not in without}
    play.id_token = jwt.encode(content, key, algorithm=algorithm, headers=header or {"kid": "k"})
    return client.get("/oidc/callback/", {"code": "c", "state": query["state"][0]})


def test_a_good_token_is_accepted(played):
    assert sign_in(played).status_code == 302
    assert sign_in(played, aud=["toolshelf", "x"], azp="toolshelf").status_code == 302
    assert User.objects.count() == 1


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"key": OTHER_KEY}, "Signature verification failed"),
        ({"header": {"kid": "unknown"}}, "none of the provider's keys matches"),
        ({"key": "k" * 32, "algorithm": "HS256"}, "signed with HS256"),
        ({"key": None, "algorithm": "none"}, "signed with none"),
        ({"iss": "https://evil.example"}, "Invalid issuer"),
        ({"aud": "another"}, "Audience doesn't match"),
        ({"aud": ["toolshelf", "x"]}, "for another client"),
        ({"azp": "another"}, "for another client"),
        ({"exp": 1}, "expired"),
        ({"iat": 99_999_999_999}, "not yet valid"),
        ({"nonce": "another"}, "nonce"),
        ({"without": ["nonce"]}, "nonce"),
        ({"without": ["exp"]}, "missing the \"exp\" claim"),
        ({"without": ["sub"]}, "missing the \"sub\" claim"),
        ({"sub": ""}, "no subject"),
        ({"sub": "another"}, "for a different subject"),
    ],
)  # fmt: skip
@pytest.mark.filterwarnings("ignore:The HMAC key")
def test_a_wrong_token_is_refused(played, caplog, changed, reason):
    answer = sign_in(played, **changed)

    assert answer.status_code == 401
    assert reason in caplog.text
    assert not User.objects.exists()


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("keys", None),
        ("keys", ["text"]),
        ("keys", [{"kid": "k", "kty": "RSA"}]),
        ("keys", [{"kid": "k", "kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"}]),
        ("userinfo", ["text"]),
        ("userinfo", {"sub": "another"}),
    ],
)
def test_a_strange_answer_is_refused(played, part, value):
    setattr(played, part, value)

    assert sign_in(played).status_code == 401


def test_a_response_without_a_token_is_refused(played):
    client = Client()
    query = parse_qs(urlsplit(client.post("/oidc/")["Refresh"].split("url=", 1)[1]).query)

    answer = client.get("/oidc/callback/", {"code": "c", "state": query["state"][0]})

    assert answer.status_code == 401


@pytest.mark.parametrize(
    "metadata",
    [
        {"issuer": "https://evil.example"},
        {"issuer": None},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"jwks_uri": "file:///etc/passwd"},
        {"token_endpoint": None},
    ],
)
def test_metadata_of_another_provider_or_without_an_endpoint_is_refused(played, metadata):
    played.metadata = metadata

    assert Client().post("/oidc/").status_code == 401


def test_an_endpoint_with_a_query_keeps_it(played):
    played.metadata = {"authorization_endpoint": f"{played.issuer}/authorize?policy=1"}

    url = Client().post("/oidc/")["Refresh"].split("url=", 1)[1]

    assert parse_qs(urlsplit(url).query)["policy"] == ["1"]


def test_a_provider_without_userinfo_is_enough(played):
    played.metadata = {"userinfo_endpoint": None}

    assert sign_in(played, preferred_username="grace").status_code == 302
    assert User.objects.get().username == "grace"


def test_claims_of_the_token_win(played):
    played.userinfo = {"sub": "subject", "preferred_username": "unsigned"}

    sign_in(played, preferred_username="signed")

    assert User.objects.get().username == "signed"
