"""An HTTP service that answers with the request that it received, and the OpenAPI document that describes it.

The document has an operation for each media type, method, security scheme and answer.
"""

import base64
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl, urlsplit

PNG = b"\x89PNG\r\n\x1a\n"
CLIENT = ("client one", "client/secret")
ISSUED = "issued-access-token-42"


class Service(ThreadingHTTPServer):
    """Serves on a free port of 127.0.0.1, in a thread, while it is entered."""

    daemon_threads = True

    def __init__(self, *, other_origin=""):
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests = []
        self.other_origin = other_origin
        self.origin = f"http://127.0.0.1:{self.server_address[1]}"

    def __enter__(self):
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def handle_any(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = urlsplit(self.path)
        seen = {
            "method": self.command,
            "path": parts.path,
            "query": parts.query,
            "headers": dict(self.headers.items()),
            "body": body.decode("latin-1"),
        }
        self.server.requests.append(seen)
        special = getattr(self, "do_" + parts.path.rpartition("/")[2].replace("-", "_"), None)
        if special:
            special(seen)
        else:
            self.reply(200, "application/json", json.dumps(seen).encode())

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = do_OPTIONS = handle_any

    def reply(self, status, media_type, content, **headers):
        self.send_response(status)
        for name, value in {
            "Content-Type": media_type,
            "Content-Length": str(len(content)),
            **headers,
        }.items():
            if value:
                self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    # Operations with an answer of their own

    def do_text(self, _):
        self.reply(200, "text/plain; charset=iso-8859-1", "grüezi".encode("latin-1"))

    def do_picture(self, _):
        self.reply(200, "image/png", PNG)

    def do_archive(self, _):
        self.reply(200, "application/zip", b"PK\x00")

    def do_nothing(self, _):
        self.reply(204, "", b"")

    def do_missing(self, _):
        self.reply(
            404,
            "application/json",
            b'{"detail": "no such thing"}',
            X_Request_Id="r-1",
            Retry_After="7",
        )

    def do_not_json(self, _):
        self.reply(200, "application/json", b"<html>oops</html>")

    def do_moved(self, _):
        self.reply(307, "text/plain", b"", Location="/api/moved-here")

    def do_elsewhere(self, _):
        self.reply(307, "text/plain", b"", Location=f"{self.server.other_origin}/api/landed")

    def do_round(self, _):
        self.reply(302, "text/plain", b"", Location="/api/round")

    def do_huge(self, _):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(100 * 2**20))
        self.end_headers()
        try:
            for _ in range(1600):
                self.wfile.write(b'"' + b"x" * (64 * 1024 - 1))
        except OSError:  # the client has closed the connection
            self.close_connection = True

    def do_zipped(self, _):
        self.reply(200, "application/json", b"\x1f\x8b\x08", Content_Encoding="gzip")

    def do_slow(self, _):
        time.sleep(20)

    def do_token(self, seen):
        form = dict(parse_qsl(seen["body"]))
        given = self.headers.get("Authorization", "")
        wanted = "Basic " + base64.b64encode(b"client+one:client%2Fsecret").decode()
        if given == wanted and form.get("grant_type") == "client_credentials":
            self.reply(
                200,
                "application/json",
                json.dumps({"access_token": ISSUED, "token_type": "Bearer"}).encode(),
            )
        else:
            self.reply(401, "application/json", b'{"error": "invalid_client"}')

    def do_post_token(self, seen):
        form = dict(parse_qsl(seen["body"]))
        if (form.get("client_id"), form.get("client_secret")) == CLIENT:
            self.reply(200, "application/json", json.dumps({"access_token": ISSUED}).encode())
        else:
            self.reply(400, "application/json", b'{"error": "invalid_client"}')


# -- the document -----------------------------------------------------------------------------------------------------

ANSWERS = (
    "text", "picture", "archive", "nothing", "missing", "not-json", "moved", "elsewhere", "round", "huge", "zipped",
    "slow",
)  # fmt: skip


def _locations_and_bodies():
    paths = {}
    paths["/cookie"] = {
        "get": {"parameters": [{"name": "c", "in": "cookie", "schema": {"type": "string"}}]}
    }
    thing = {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
    }
    for name, media_type, schema in (
        ("json", "application/json", thing),
        ("form-body", "application/x-www-form-urlencoded", thing),
        ("text-body", "text/plain", {"type": "string"}),
        ("bytes-body", "application/octet-stream", {"type": "string", "format": "binary"}),
    ):
        paths[f"/{name}"] = {
            "post": {"requestBody": {"required": True, "content": {media_type: {"schema": schema}}}}
        }
    return paths


def document():
    """An operation for each media type and security scheme."""
    paths = _locations_and_bodies()
    for method in ("put", "patch", "delete", "head", "options"):
        paths[f"/method-{method}"] = {method: {}}
    for scheme in SCHEMES:
        paths[f"/secured-{scheme}"] = {
            "get": {"security": [{scheme: ["read"] if scheme.startswith("oauth") else []}]}
        }
    for name in ANSWERS:
        paths[f"/{name}"] = {
            "get": {
                "responses": {
                    "200": {
                        "description": "",
                        "content": {"application/json": {"schema": {"type": "object"}}},
                    }
                }
            }
        }
    paths["/post/elsewhere"] = {"post": {}}
    for path, item in paths.items():
        for method, operation in item.items():
            operation["operationId"] = (
                f"{method}_{path.strip('/').partition('/{')[0].replace('/', '_')}"
            )
            operation.setdefault("responses", {"200": {"description": ""}})
    return {
        "openapi": "3.1.1",
        "info": {"title": "Echo", "version": "1"},
        "servers": [{"url": "/api"}],
        "paths": paths,
        "components": {"securitySchemes": SCHEMES},
    }


def _oauth(token_url):
    return {
        "type": "oauth2",
        "flows": {"clientCredentials": {"tokenUrl": token_url, "scopes": {"read": "Read."}}},
    }


SCHEMES = {
    "key-header": {"type": "apiKey", "in": "header", "name": "X-Key"},
    "key-query": {"type": "apiKey", "in": "query", "name": "key"},
    "key-cookie": {"type": "apiKey", "in": "cookie", "name": "key"},
    "basic": {"type": "http", "scheme": "basic"},
    "bearer": {"type": "http", "scheme": "bearer"},
    "other": {"type": "http", "scheme": "digest"},
    "oauth": _oauth("/api/token"),
    "oauth-post": _oauth("/api/post-token"),
}
