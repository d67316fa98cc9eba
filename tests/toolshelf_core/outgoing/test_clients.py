"""HTTP clients keep to the address policy and the budget; every test runs with both kinds of client."""

import asyncio
import datetime
import ipaddress
import socket
import ssl
import threading
import time

import httpx2
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.http_server import local_server, respond
from toolshelf_core.errors import OutgoingError
from toolshelf_core.outgoing.addresses import LOOPBACK, AddressPolicy, AddressRefused
from toolshelf_core.outgoing.budget import Budget, LimitExceeded
from toolshelf_core.outgoing.clients import Credentials, async_client, client, sentence

LOCAL = AddressPolicy(LOOPBACK)


def get(url, *, policy=LOCAL, budget, credentials=None):
    with client(policy, budget, credentials) as http:
        return http.get(url)


def get_async(url, *, policy=LOCAL, budget, credentials=None):
    async def task():
        async with async_client(policy, budget, credentials) as http:
            return await http.get(url)

    return asyncio.run(task())


@pytest.fixture(params=[get, get_async], ids=["sync", "async"])
def fetch(request):
    """`httpx2.Client.get` by either kind of client."""
    return request.param


@pytest.fixture
def budget():
    return Budget(seconds=20, max_bytes=100_000)


def hello(handler):
    respond(handler, b"hello")


def test_a_loopback_server_is_refused_without_a_connection(fetch, budget):
    with local_server(hello) as server, pytest.raises(AddressRefused, match="loopback address"):
        fetch(server.url, policy=AddressPolicy(), budget=budget)

    assert server.requests == []


def test_the_connection_goes_to_the_address_that_was_checked(fetch, budget, monkeypatch):
    """A name server that answers differently the second time is not asked a second time."""
    real = socket.getaddrinfo
    asked = []

    def rebinding(host, *rest, **more):
        if host not in {"tools.example", b"tools.example"}:
            return real(host, *rest, **more)
        asked.append(host)
        return real("127.0.0.1" if len(asked) == 1 else "10.0.0.1", *rest, **more)

    with local_server(hello) as server:
        monkeypatch.setattr(socket, "getaddrinfo", rebinding)
        response = fetch(f"http://tools.example:{server.port}/", budget=budget)

    assert response.text == "hello"
    assert len(asked) == 1
    assert server.requests[0][2]["host"] == f"tools.example:{server.port}"


def test_a_redirect_to_a_forbidden_address_is_refused(fetch, budget):
    def redirect(handler):
        respond(handler, status=302, headers={"Location": "http://10.0.0.1/admin"})

    with (
        local_server(redirect) as server,
        pytest.raises(AddressRefused, match=r"10\.0\.0\.1 is a private address"),
    ):
        fetch(server.url, budget=budget)


def test_at_most_three_redirects_are_followed(fetch, budget):
    def redirect(handler):
        respond(handler, status=302, headers={"Location": f"{handler.path}x"})

    with local_server(redirect) as server, pytest.raises(httpx2.TooManyRedirects) as failed:
        fetch(f"{server.url}/", budget=budget)

    assert len(server.requests) == 4
    assert sentence(failed.value, budget) == "The server redirected more than 3 times."


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/", "file:///etc/passwd", "http:///nothing"])
def test_other_schemes_are_refused(fetch, budget, url):
    with pytest.raises((OutgoingError, httpx2.UnsupportedProtocol)):
        fetch(url, budget=budget)


def test_credentials_are_sent_to_their_own_origin_only(fetch, budget):
    with local_server(hello) as other:

        def redirect(handler):
            respond(handler, status=307, headers={"Location": f"{other.url}/elsewhere"})

        with local_server(redirect) as own:
            credentials = Credentials(own.url, {"Authorization": "Bearer abc", "X-API-Key": "def"})
            fetch(f"{own.url}/a", budget=budget, credentials=credentials)

    assert own.requests[0][2]["authorization"] == "Bearer abc"
    assert own.requests[0][2]["x-api-key"] == "def"
    assert not {"authorization", "x-api-key"} & set(other.requests[0][2])


def test_an_allowed_server_is_reached_whatever_proxies_the_environment_names(
    fetch, budget, monkeypatch
):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")

    with local_server(hello) as server:
        assert fetch(f"{server.url}/greeting", budget=budget).text == "hello"

    assert [request[:2] for request in server.requests] == [("GET", "/greeting")]


def test_the_proxy_of_the_setting_is_used_though_its_address_is_private(fetch, budget):
    with local_server(hello) as proxy:
        policy = AddressPolicy(proxy=proxy.url)
        response = fetch("http://no-such-name.invalid/greeting", policy=policy, budget=budget)

    assert response.text == "hello"
    assert proxy.requests[0][1] == "http://no-such-name.invalid/greeting"


def test_a_forbidden_address_is_refused_before_the_proxy(fetch, budget):
    with local_server(hello) as proxy, pytest.raises(AddressRefused):
        fetch("http://10.0.0.1/", policy=AddressPolicy(proxy=proxy.url), budget=budget)

    assert proxy.requests == []


def test_a_response_beyond_the_size_limit_is_cut_off(fetch, budget):
    def endless(handler):
        handler.send_response(200)
        handler.end_headers()
        while True:
            handler.wfile.write(b"x" * 65536)

    with local_server(endless) as server, pytest.raises(LimitExceeded) as exceeded:
        fetch(server.url, budget=budget)

    assert str(exceeded.value) == "It sent more than the 100,000 bytes that are allowed."


def test_requests_of_one_task_share_the_size_limit(budget):
    def large(handler):
        respond(handler, b"x" * 40_000)

    with local_server(large) as server, client(LOCAL, budget) as http:
        http.get(server.url)
        http.get(server.url)
        with pytest.raises(LimitExceeded):
            http.get(server.url)


def test_endless_headers_are_cut_off(fetch, budget):
    def endless(handler):
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while True:
            handler.wfile.write(b"X-Header: " + b"x" * 1000 + b"\r\n")

    with (
        local_server(endless) as server,
        pytest.raises((LimitExceeded, httpx2.RemoteProtocolError)) as failed,
    ):
        fetch(server.url, budget=budget)

    assert sentence(failed.value, budget)


def test_a_response_that_arrives_byte_by_byte_is_ended_at_the_deadline(fetch):
    finished = threading.Event()

    def slow(handler):
        handler.send_response(200)
        handler.end_headers()
        while not finished.is_set():
            handler.wfile.write(b"x")
            time.sleep(0.02)

    budget = Budget(seconds=0.5, max_bytes=100_000)
    with local_server(slow) as server:
        with pytest.raises(
            LimitExceeded, match=r"It took longer than the 0\.5 seconds that are allowed\."
        ):
            fetch(server.url, budget=budget)
        finished.set()


def test_a_compressed_response_is_refused(fetch, budget):
    def compressed(handler):
        respond(handler, b"\x1f\x8b", headers={"Content-Encoding": "gzip"})

    with (
        local_server(compressed) as server,
        pytest.raises(OutgoingError, match="compressed as 'gzip'"),
    ):
        fetch(server.url, budget=budget)

    assert server.requests[0][2]["accept-encoding"] == "identity"


def test_a_port_where_nobody_listens_is_a_sentence(fetch, budget):
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]

    with pytest.raises(httpx2.ConnectError) as failed:
        fetch(f"http://127.0.0.1:{port}/", budget=budget)

    assert sentence(failed.value, budget).startswith("The connection to the server failed: ")


def test_what_is_not_http_is_a_sentence(fetch, budget):
    def noise(handler):
        handler.wfile.write(b"\x00\x01\x02 not HTTP\r\n\r\n")

    with local_server(noise) as server, pytest.raises(httpx2.RemoteProtocolError) as failed:
        fetch(server.url, budget=budget)

    assert sentence(failed.value, budget).startswith("The server's response is not valid HTTP: ")


def certificate(folder, name):
    """A certificate for `name`, signed by itself, and a context that serves it."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test")])
    now = datetime.datetime.now(datetime.UTC)
    names = x509.SubjectAlternativeName(
        [x509.DNSName(name), x509.IPAddress(ipaddress.ip_address("192.0.2.1"))]
    )
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
    )
    builder = (
        builder.serial_number(1)
        .not_valid_before(now)
        .not_valid_after(now + datetime.timedelta(days=1))
    )
    builder = builder.add_extension(names, critical=False)
    signed = builder.add_extension(
        x509.BasicConstraints(ca=True, path_length=None), critical=True
    ).sign(key, hashes.SHA256())
    (folder / "certificate.pem").write_bytes(signed.public_bytes(serialization.Encoding.PEM))
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "key.pem").write_bytes(private)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "certificate.pem", folder / "key.pem")
    return context


@pytest.fixture
def resolved_to_loopback(monkeypatch):
    real = socket.getaddrinfo
    monkeypatch.setattr(
        socket, "getaddrinfo", lambda host, *rest, **more: real("127.0.0.1", *rest, **more)
    )


@pytest.mark.usefixtures("resolved_to_loopback")
def test_tls_verifies_the_name_and_whether_somebody_trusts_the_certificate(
    fetch, budget, tmp_path, monkeypatch
):
    context = certificate(tmp_path, "tools.example")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "certificate.pem"))

    with local_server(hello, tls=context) as server:
        assert fetch(f"https://tools.example:{server.port}/", budget=budget).text == "hello"
        with pytest.raises(httpx2.ConnectError, match="certificate"):
            fetch(f"https://other.example:{server.port}/", budget=budget)
        monkeypatch.delenv("SSL_CERT_FILE")
        with pytest.raises(httpx2.ConnectError, match="certificate"):
            fetch(f"https://tools.example:{server.port}/", budget=budget)


def test_the_text_of_credentials_does_not_contain_them():
    assert "abc" not in repr(Credentials("https://tools.example", {"Authorization": "Bearer abc"}))
