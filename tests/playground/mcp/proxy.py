"""A proxy that adds a token to every request, for clients that cannot send one: the conformance suite."""

import http.client
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit


@contextmanager
def authorizing_proxy(site, token):
    """The address of a proxy in front of `site`; it passes on parts of a response as they come."""
    target = urlsplit(site)

    class Handler(BaseHTTPRequestHandler):
        def forward(self):
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            upstream = http.client.HTTPConnection(target.hostname, target.port)
            upstream.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
            for name, value in self.headers.items():
                if name.lower() not in {"connection", "authorization"}:
                    upstream.putheader(name, value)
            upstream.putheader("Authorization", f"Bearer {token}")
            upstream.putheader("Connection", "close")
            upstream.endheaders(body)
            response = upstream.getresponse()
            try:
                self.send_response(response.status)
                for name, value in response.getheaders():
                    if name.lower() not in {"connection", "transfer-encoding", "server", "date"}:
                        self.send_header(name, value)
                self.end_headers()
                while part := response.read1(65536):
                    self.wfile.write(part)
            except OSError:
                pass  # the client has gone, so the site notices the same
            finally:
                upstream.close()

        do_GET = do_POST = do_DELETE = forward

        def log_message(self, *args):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
