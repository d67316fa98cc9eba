"""A passkey made of software, which answers as a browser does, on whatever page it is used."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from fido2.cose import ES256
from fido2.utils import websafe_encode
from fido2.webauthn import (
    Aaguid,
    AttestationObject,
    AttestedCredentialData,
    AuthenticatorData,
    CollectedClientData,
)

PRESENT_AND_VERIFIED = AuthenticatorData.FLAG.UP | AuthenticatorData.FLAG.UV


class SoftPasskey:
    """Args: host: the host that it is for; origin: the page on which it is used."""

    def __init__(self, host: str, origin: str) -> None:
        self.origin = origin
        self._host_hash = sha256(host.encode()).digest()
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._id = b"passkey-of-a-test"

    def answer_to_creation(self, options: dict[str, Any]) -> str:
        """The JSON with which a browser adds the passkey."""
        self._user_handle = options["publicKey"]["user"]["id"]
        public = ES256.from_cryptography_key(self._key.public_key())
        credential = AttestedCredentialData.create(Aaguid.NONE, self._id, public)
        flags = PRESENT_AND_VERIFIED | AuthenticatorData.FLAG.AT
        data = AuthenticatorData.create(self._host_hash, flags, 0, credential)
        response = {
            "clientDataJSON": self._client_data("webauthn.create", options).b64,
            "attestationObject": websafe_encode(AttestationObject.create("none", data, {})),
        }
        return self._credential(response, {"credProps": {"rk": True}})

    def answer_to_request(self, options: dict[str, Any]) -> str:
        """The JSON with which a browser signs in; `answer_to_creation` comes first."""
        client_data = self._client_data("webauthn.get", options)
        data = AuthenticatorData.create(self._host_hash, PRESENT_AND_VERIFIED, 1)
        signature = self._key.sign(data + client_data.hash, ec.ECDSA(hashes.SHA256()))
        response = {
            "clientDataJSON": client_data.b64,
            "authenticatorData": websafe_encode(data),
            "signature": websafe_encode(signature),
            "userHandle": self._user_handle,
        }
        return self._credential(response, {})

    def _client_data(self, kind: str, options: dict[str, Any]) -> CollectedClientData:
        return CollectedClientData.create(kind, options["publicKey"]["challenge"], self.origin)

    def _credential(self, response: dict[str, Any], results: dict[str, Any]) -> str:
        identifier = websafe_encode(self._id)
        return json.dumps(
            {
                "type": "public-key",
                "id": identifier,
                "rawId": identifier,
                "response": response,
                "clientExtensionResults": results,
                "authenticatorAttachment": "platform",
            }
        )
