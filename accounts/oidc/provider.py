"""The OpenID Connect provider of the settings, by allauth's client with stricter checks.

Allauth's client sends no nonce, trusts an ID token unverified if it came over TLS, and prefers the
unsigned userinfo to it. Here the ID token's signature, issuer, audience, times and nonce are
verified, and the userinfo must be of the same subject.

Source: OpenID Connect Core 1.0, sections 3.1.2.1, 3.1.3.7 and 5.3.2; OpenID Connect Discovery 1.0,
section 4.3.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

import jwt
from allauth.socialaccount.adapter import get_adapter
from allauth.socialaccount.models import SocialApp, SocialLogin, SocialToken
from allauth.socialaccount.providers.oauth2.client import OAuth2Client, OAuth2Error
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from allauth.socialaccount.providers.openid_connect.views import OpenIDConnectOAuth2Adapter
from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse
from django.utils.crypto import constant_time_compare, salted_hmac

from accounts.oidc.accounts import stored_subject

# Signatures with a key that only the provider has. The client's secret (HS256) would be no proof
# that it made them.
ALGORITHMS: Final = (
    "RS256",
    "RS384",
    "RS512",
    "PS256",
    "PS384",
    "PS512",
    "ES256",
    "ES384",
    "ES512",
    "EdDSA",
)
CLOCK_TOLERANCE_S: Final = 60
ENDPOINTS: Final = ("authorization_endpoint", "token_endpoint", "jwks_uri")


def derive_nonce(state: str) -> str:
    """The nonce of a sign-in.

    It follows from its `state`, which is random, works once, and is in the session.
    """
    return salted_hmac("accounts.oidc.nonce", state, algorithm="sha256").hexdigest()


class Client(OAuth2Client):
    def get_redirect_url(
        self, authorization_url: str, scope: Collection[str], extra_params: Mapping[str, str]
    ) -> str:
        parameters = {
            "client_id": self.consumer_key,
            "redirect_uri": self.callback_url,
            "scope": " ".join(scope),
            "response_type": "code",
            "state": self.state,
            "nonce": derive_nonce(str(self.state)),
            **extra_params,
        }
        separator = "&" if urlsplit(authorization_url).query else "?"
        return f"{authorization_url}{separator}{urlencode(parameters)}"


class Adapter(OpenIDConnectOAuth2Adapter):
    """Asks the provider. Errors: `OAuth2Error`, or `RequestException` if it cannot be reached."""

    client_class = Client

    @property
    def openid_config(self) -> dict[str, Any]:
        """The provider's metadata."""
        config: Any = super().openid_config
        issuer = config.get("issuer") if isinstance(config, dict) else None
        if not isinstance(issuer, str) or issuer.rstrip("/") != settings.OIDC_ISSUER:
            raise OAuth2Error(f"the metadata is for a different issuer, {issuer!r}")
        for name in ENDPOINTS:
            if urlsplit(str(config.get(name, ""))).scheme not in {"https", "http"}:
                raise OAuth2Error(f"the metadata has no {name}")
        return dict(config)

    def get_callback_url(self, request: HttpRequest, app: SocialApp) -> str:  # noqa: ARG002
        return request.build_absolute_uri(reverse("oidc_callback"))

    def complete_login(
        self, request: HttpRequest, app: SocialApp, token: SocialToken, **kwargs: Any
    ) -> SocialLogin:
        """The person at the provider, from the verified ID token and the userinfo."""
        claims = self.verify_claims(app, kwargs["response"].get("id_token"))
        nonce = derive_nonce(request.GET.get("state", ""))
        if not constant_time_compare(str(claims.get("nonce", "")), nonce):
            raise OAuth2Error("the nonce in the ID token does not match")
        if self.openid_config.get("userinfo_endpoint"):
            userinfo = self._fetch_user_info(token.token)
            if not isinstance(userinfo, dict) or userinfo.get("sub") != claims["sub"]:
                raise OAuth2Error("the userinfo response is for a different subject")
            claims = userinfo | claims
        login: SocialLogin = Provider(request, app=app).sociallogin_from_response(request, claims)
        return login

    def verify_claims(self, app: SocialApp, id_token: Any) -> dict[str, Any]:
        """The claims of an ID token that the provider made for this site."""
        if not isinstance(id_token, str):
            raise OAuth2Error("the response has no ID token")
        try:
            claims: dict[str, Any] = jwt.decode(
                id_token,
                key=self.fetch_signing_key(id_token),
                algorithms=ALGORITHMS,
                audience=app.client_id,
                issuer=self.openid_config["issuer"],
                leeway=CLOCK_TOLERANCE_S,
                options={"require": ["iss", "sub", "aud", "exp", "iat"]},
            )
        except jwt.PyJWTError as error:
            raise OAuth2Error(f"the ID token is not valid: {error}") from error
        is_for_this_client = claims.get("azp") == app.client_id
        if "azp" not in claims:
            is_for_this_client = claims["aud"] in (app.client_id, [app.client_id])
        if not is_for_this_client:
            raise OAuth2Error("the ID token is for another client")
        if not claims["sub"]:
            raise OAuth2Error("the ID token has no subject")
        return claims

    def fetch_signing_key(self, id_token: str) -> jwt.PyJWK:
        """The provider's public key with which an ID token is signed."""
        header = jwt.get_unverified_header(id_token)
        algorithm, key_id = header["alg"], header.get("kid")
        if algorithm not in ALGORITHMS:
            raise OAuth2Error(
                f"the ID token is signed with {algorithm}; accepted: {', '.join(ALGORITHMS)}"
            )
        with get_adapter().get_requests_session() as session:  # type: ignore[no-untyped-call]
            response = session.get(self.openid_config["jwks_uri"])
            response.raise_for_status()
            key_set = response.json()
        candidates = []
        for key in (isinstance(key_set, dict) and key_set.get("keys")) or ():
            if not isinstance(key, dict) or key.get("use", "sig") != "sig":
                continue
            # A token may omit the key id if the provider has only one key.
            if key_id in {None, key.get("kid")} and key.get("alg", algorithm) == algorithm:
                candidates.append(key)
        if len(candidates) != 1:
            raise OAuth2Error(
                "none of the provider's keys matches the ID token, or more than one does"
            )
        return jwt.PyJWK(candidates[0], algorithm=algorithm)


class Provider(OpenIDConnectProvider):
    oauth2_adapter_class = Adapter

    def get_callback_url(self) -> str:
        return reverse("oidc_callback")

    def get_login_url(self, request: HttpRequest, **kwargs: Any) -> str:  # noqa: ARG002
        return reverse("oidc_start")

    def extract_uid(self, data: Mapping[str, Any]) -> str:
        return stored_subject(str(data["sub"]))

    def extract_extra_data(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """The claims that are stored: the name at the provider, for the page about the account."""
        name = data.get("preferred_username") or data.get("email") or data["sub"]
        return {"name": str(name)[:200]}

    def extract_common_fields(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of a new account.

        An e-mail address that the provider has not verified is left out.
        """
        fields: dict[str, Any]
        fields = super().extract_common_fields(data)  # type: ignore[no-untyped-call]
        texts = {name: value for name, value in fields.items() if isinstance(value, str)}
        if data.get("email_verified") is not True:
            texts.pop("email", None)
        if "username" not in texts and isinstance(data.get("email"), str):
            texts["username"] = data["email"].partition("@")[0]
        return texts

    def extract_email_addresses(self, data: Mapping[str, Any]) -> list[Any]:  # noqa: ARG002
        return []

    def cleanup_email_addresses(
        self,
        email: str | None,
        *args: Any,  # noqa: ARG002
        **kwargs: Any,  # noqa: ARG002
    ) -> str | None:
        """No rows of allauth's table of addresses: they would be ways to find an account."""
        return email

    def sociallogin_from_response(
        self, request: HttpRequest, response: Mapping[str, Any]
    ) -> SocialLogin:
        login: SocialLogin = super().sociallogin_from_response(request, response)
        vars(login)["claims"] = dict(response)  # for `claims_of`; not stored
        return login
