"""Signatures against the scheme's definition, written out."""

import base64
import hashlib
import hmac

from catalog.webhooks.signature import new_secret, signature, signed_headers

SECRET = "whsec_" + base64.b64encode(b"0123456789abcdef0123456789abcdef").decode()


def test_the_signature_is_the_hmac_of_id_timestamp_and_body():
    expected = hmac.new(
        b"0123456789abcdef0123456789abcdef", b'msg_1.1700000000.{"a":1}', hashlib.sha256
    ).digest()

    found = signature(SECRET, "msg_1", 1700000000, b'{"a":1}')

    assert found == "v1," + base64.b64encode(expected).decode()


def test_each_secret_signs_once():
    headers = signed_headers([SECRET, new_secret()], "msg_1", 1700000000, b"{}")

    assert (headers["webhook-id"], headers["webhook-timestamp"]) == ("msg_1", "1700000000")
    first, second = headers["webhook-signature"].split(" ")
    assert first == signature(SECRET, "msg_1", 1700000000, b"{}")
    assert second != first


def test_secrets_are_random_and_long():
    assert new_secret() != new_secret()
    assert len(base64.b64decode(new_secret().removeprefix("whsec_"))) == 32
