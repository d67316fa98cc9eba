"""How the site is protected: keys, hosts, networks, cookies, headers."""

import hashlib
import os

from csp.constants import NONE, SELF

from config import env
from config.settings.data import DATA_DIR
from toolshelf_core.site_url import is_loopback

DEBUG: bool = env.read("DEBUG", bool, False, "Tracebacks in the browser, for development only.")
SECRET_KEY: str = env.read(
    "SECRET_KEY",
    env.KEY,
    "",
    "Signs cookies; the same for all web servers and workers of a site, at least 32 characters.",
    default_text="generated",
) or env.ensure_key(DATA_DIR / "secret_key")
# Saved configurations are encrypted with the first key; the other keys can still decrypt older
# ones.
CONFIGURATION_KEYS: list[str] = env.read(
    "TOOLSHELF_CONFIGURATION_KEYS",
    env.KEYS,
    "",
    "Keys that encrypt all stored secrets: the first (at least 32 characters) encrypts, the others "
    "decrypt.",
    default_text="generated",
) or [env.ensure_key(DATA_DIR / "configuration_key")]
ALLOWED_HOSTS: list[str] = env.read(
    "ALLOWED_HOSTS",
    env.HOSTS,
    "localhost 127.0.0.1 [::1]",
    "The exact host names of the site; no wildcard.",
)
# Sources and the tools that run through them may connect to public addresses and to these networks.
# A site that is served on the loopback interface only may also connect to it; `serve` with another
# host sets this to False.
ALLOWED_NETWORKS: list[str] = env.read(
    "TOOLSHELF_ALLOWED_NETWORKS",
    env.NETWORKS,
    "",
    "Networks that sources and their tools may reach besides public addresses: `10.0.0.0/8 "
    "fd00::/8`.",
)
LOOPBACK_ONLY = (
    all(map(is_loopback, ALLOWED_HOSTS)) and "TOOLSHELF_SERVES_OTHER_MACHINES" not in os.environ
)
# The commands run on the site's machine with its rights, so whoever can sign in as an administrator
# could run anything.
SOURCE_COMMANDS: bool = env.read(
    "TOOLSHELF_SOURCE_COMMANDS",
    bool,
    False,
    "`1` lets administrators start commands of MCP servers (`npx …`) from the page Add; "
    "`add_source` always can.",
)
OUTGOING_PROXY: str = env.read(
    "TOOLSHELF_OUTGOING_PROXY",
    env.PROXY,
    "",
    "HTTP proxy for sources and their tools, `http://[user:password@]host:port`; `HTTP_PROXY`, "
    "`HTTPS_PROXY` and `NO_PROXY` are ignored.",
)
CSRF_TRUSTED_ORIGINS: list[str] = env.read(
    "CSRF_TRUSTED_ORIGINS",
    env.words(),
    "",
    "Origins besides the site's own whose pages may send changes.",
)
# Under HTTPS (behind a proxy that terminates TLS) cookies are Secure, HTTP is redirected and HSTS
# is sent.
HTTPS: bool = env.read(
    "TOOLSHELF_HTTPS",
    bool,
    False,
    "`1` behind a proxy that terminates TLS: secure cookies, redirect, HSTS.",
)
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31_536_000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = HTTPS
# Set this behind a proxy that sets X-Forwarded-Proto and -For itself; otherwise these headers are
# ignored.
TRUST_PROXY: bool = env.read(
    "TRUST_PROXY",
    bool,
    False,
    "`1` trusts the proxy's `X-Forwarded-Proto` and `TOOLSHELF_ADDRESS_HEADER`.",
)
# The server replaces the hyphens of a name by underscores before it calls the application, so
# `X_Forwarded_For` of a client can replace `X-Forwarded-For` of a proxy that does not drop such
# names. A name without hyphens has no double.
ADDRESS_HEADER: str = env.read(
    "TOOLSHELF_ADDRESS_HEADER",
    str,
    "X-Forwarded-For",
    "The header in which a trusted proxy reports the client's address "
    "([operations.md](operations.md)).",
)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if TRUST_PROXY else None
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
# Scrapers of /metrics send this token. Programs on the same machine need it, too: tools run
# there, and can reach the site over loopback.
METRICS_TOKEN: str = env.read(
    "TOOLSHELF_METRICS_TOKEN",
    env.TOKEN,
    "",
    "The token with which scrapers read `/metrics`, at least 16 characters.",
)
# Two sites on two ports of one host share cookies unless their names differ. Under HTTPS the prefix
# makes browsers refuse such a cookie from other hosts of the domain (RFC 6265bis, "The __Host-
# prefix").
COOKIE_SUFFIX = hashlib.sha256(f"cookies {SECRET_KEY}".encode()).hexdigest()[:8]
COOKIE_PREFIX = "__Host-toolshelf" if HTTPS else "toolshelf"
SESSION_COOKIE_NAME = f"{COOKIE_PREFIX}_session_{COOKIE_SUFFIX}"
CSRF_COOKIE_NAME = f"{COOKIE_PREFIX}_csrf_{COOKIE_SUFFIX}"
# The page to go to after signing in by a link, the accounts that this browser has signed in to, and
# the runs of a visitor.
NEXT_COOKIE_NAME = f"{COOKIE_PREFIX}_next_{COOKIE_SUFFIX}"
BROWSER_COOKIE_NAME = f"{COOKIE_PREFIX}_browser_{COOKIE_SUFFIX}"
VISITOR_COOKIE_NAME = f"{COOKIE_PREFIX}_runs_{COOKIE_SUFFIX}"
SESSION_ENGINE = "accounts.session_store"
SESSION_IDLE_HOURS: int = env.read(
    "TOOLSHELF_SESSION_IDLE_HOURS",
    env.number(1),
    72,
    "A browser session ends when it has not been used for this time, and after 14 days in any "
    "case.",
)
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
CROSS_ORIGIN_RESOURCE_POLICY = "same-origin"
# No page uses these features, so an injected script must not either. Only names that browsers know:
# others are errors in their consoles.
PERMISSIONS_POLICY = (
    "accelerometer=(), browsing-topics=(), camera=(), display-capture=(), geolocation=(), "
    "gyroscope=(), hid=(), magnetometer=(), microphone=(), midi=(), payment=(), serial=(), "
    "usb=(), xr-spatial-tracking=()"
)
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "media-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "manifest-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
SILENCED_SYSTEM_CHECKS: list[str] = []
if not HTTPS:
    # A local site is plain HTTP on the loopback interface: HSTS (W004), redirect (W008) and Secure
    # cookies (W012, W016) would make it unreachable. `check --deploy` in the tests runs with
    # TOOLSHELF_HTTPS=1, where nothing is silenced.
    SILENCED_SYSTEM_CHECKS = ["security.W004", "security.W008", "security.W012", "security.W016"]
