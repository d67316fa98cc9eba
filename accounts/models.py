"""Users, their sessions, and the ways to sign in: a password, an API token, a sign-in link."""

from __future__ import annotations

import hashlib
from datetime import timedelta
from importlib import import_module
from typing import Final

from django.conf import settings
from django.contrib.auth.models import AbstractUser, AnonymousUser
from django.contrib.sessions.backends.base import SessionBase
from django.contrib.sessions.base_session import AbstractBaseSession
from django.db import models
from django.utils import timezone

SCOPES = ("read", "publish", "run", "admin")
RUN_TOOLS: Final = "run_tools"
PUBLISH_TOOLS: Final = "publish_tools"
ADMINISTER: Final = "administer"
ABILITIES: Final = {  # the permissions of the built-in groups (see roles.py)
    RUN_TOOLS: "Can run tools and save configurations",
    PUBLISH_TOOLS: "Can upload tools and propose revisions",
    ADMINISTER: "Can do everything on this site",
}


def digest(secret: str) -> str:
    """The stored form of a random secret: the SHA-256 of its text, in hex.

    256 random bits need no slow hash.
    """
    return hashlib.sha256(secret.encode()).hexdigest()


class User(AbstractUser):
    """A person, or a program that acts as one: then `token` limits what it may do."""

    token: ApiToken | None = None  # set on the object by `tokens.find_token`, never stored

    class Meta(AbstractUser.Meta):
        permissions = list(ABILITIES.items())


Person = User | AnonymousUser


class ApiToken(models.Model):
    """A secret that a program sends as `Authorization: Bearer …`.

    The secret is shown once and stored hashed.
    """

    user = models.ForeignKey(User, on_delete=models.CASCADE, related_name="tokens")
    name = models.CharField(max_length=100, blank=True)
    digest = models.CharField(max_length=64, unique=True)
    hint = models.CharField(max_length=12)  # the first characters, to distinguish tokens
    scopes = models.JSONField(default=list)
    toolkits = models.JSONField(default=list)  # the names of its toolkits; [] is no limit
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.name or 'token'} ({self.hint}…)"

    @property
    def state(self) -> str:
        """One of "usable", "revoked" and "expired"."""
        if self.revoked_at:
            return "revoked"
        if self.expires_at and self.expires_at <= timezone.now():
            return "expired"
        return "usable"


class SignInLink(models.Model):
    """A link that signs its user in, once, shortly after it was printed.

    Without a user it is a set-up link: the person who opens it creates the first administrator
    (sign_in_links.py). An invitation is a link for the first sign-in of an account, which an
    administrator sends; so it lasts for days.
    """

    MINUTES: Final = 15
    LIFETIME: Final = timedelta(minutes=MINUTES)
    INVITATION_HOURS: Final = 72
    INVITATION_LIFETIME: Final = timedelta(hours=INVITATION_HOURS)

    user = models.ForeignKey(User, null=True, on_delete=models.CASCADE)
    digest = models.CharField(max_length=64, unique=True)
    created_at = models.DateTimeField(default=timezone.now)
    used_at = models.DateTimeField(null=True, blank=True)
    is_invitation = models.BooleanField(default=False, db_default=False)

    def __str__(self) -> str:
        return f"sign-in link of {self.user}" if self.user else "set-up link"

    @property
    def lasts(self) -> str:
        """For pages: "15 minutes"."""
        return f"{self.INVITATION_HOURS} hours" if self.is_invitation else f"{self.MINUTES} minutes"


class Session(AbstractBaseSession):
    """The session of one browser; see session_store.py."""

    # The digest of the key in the browser's cookie.
    session_key = models.CharField(primary_key=True, max_length=64)
    # None: a visitor.
    user = models.ForeignKey(User, null=True, on_delete=models.CASCADE, related_name="sessions")
    last_used_at = models.DateTimeField(default=timezone.now)

    @classmethod
    def get_session_store_class(cls) -> type[SessionBase]:
        store: type[SessionBase] = import_module(settings.SESSION_ENGINE).SessionStore
        return store


class FailedSignIn(models.Model):
    """One wrong password.

    Counted per account and per address, so that guessing is slow; old ones are deleted.
    """

    account = models.CharField(max_length=64, db_index=True)  # digest of the name that was typed
    address = models.CharField(max_length=64, db_index=True)  # digest of the client's address
    at = models.DateTimeField(default=timezone.now, db_index=True)

    def __str__(self) -> str:
        return f"failed sign-in at {self.at:%Y-%m-%d %H:%M}"
