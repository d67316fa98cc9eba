"""The network of a factory's runs, with real processes and connections."""

import os
import shutil
import subprocess
import sys
import textwrap
import threading
from contextlib import closing
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from playground.factories.factory_settings import FactoryOptions, FactorySettings
from playground.factories.inspect import describe
from playground.factories.registry import FactoryRegistry
from playground.runner.engine.worker_process import WorkerProcess
from playground.runner.worker.proxy import is_public
from tests.playground.runners import TOOLS, MarkedRunner, make_job, soon

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def runner():
    with closing(MarkedRunner()) as runner:
        if runner.isolation()["networks"]["none"]:
            pytest.skip("this machine allows no network namespaces")
        yield runner


class Site(BaseHTTPRequestHandler):
    """A site on this machine's loopback interface."""

    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"metrics")

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def site():
    with ThreadingHTTPServer(("127.0.0.1", 0), Site) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


def call(runner, code, network):
    job = make_job("attack_tool:Factory", {"code": textwrap.dedent(code).strip()})
    return runner.submit(replace(job, network=network)).wait(30)


def read(url):
    return (
        f"import urllib.request\nreturn urllib.request.urlopen({url!r}, timeout=20).read().decode()"
    )


def connect(port):
    return f"import socket\nsocket.create_connection(('127.0.0.1', {port}), 5)\nreturn 'connected'"


def test_with_all_a_run_reaches_the_site(runner, site):
    assert call(runner, read(f"http://127.0.0.1:{site}/"), "all").response == "metrics"


@pytest.mark.parametrize("network", ["none", "outward"])
def test_a_run_does_not_reach_the_site_directly(runner, site, network):
    end = call(runner, connect(site), network)

    assert end.error.startswith("ConnectionRefusedError"), end


@pytest.mark.parametrize(
    "name", ["127.0.0.1", "localhost", "127.1", "127.0.0.2", "[::ffff:127.0.0.1]", "0.0.0.0"]
)
def test_a_run_does_not_reach_the_site_through_the_proxy(runner, site, name):
    code = f"""
        import os, urllib.request
        del os.environ["NO_PROXY"], os.environ["no_proxy"]
        try: return urllib.request.urlopen("http://{name}:{site}/", timeout=20).read().decode()
        except urllib.error.HTTPError as error: return [error.code, error.reason]
    """
    end = call(runner, code, "outward")

    assert end.response == [
        403,
        "This tool can reach only public addresses: its network is outward",
    ], end


def test_a_tunnel_to_the_site_is_refused_with_the_reason(runner, site):
    code = f"""
        import http.client, os
        from urllib.parse import urlsplit
        proxy = urlsplit(os.environ["HTTPS_PROXY"])
        connection = http.client.HTTPSConnection(proxy.hostname, proxy.port, timeout=20)
        connection.set_tunnel("127.0.0.1", {site})
        connection.request("GET", "/")
    """
    end = call(runner, code, "outward")

    assert end.error.startswith(
        "OSError: Tunnel connection failed: 403 This tool can reach only public addresses"
    ), end


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ("GET / HTTP/1.1\r\n\r\n", 400),
        ("nonsense\r\n\r\n", 400),
        ("GET ftp://1.1.1.1/ HTTP/1.1\r\n\r\n", 400),
        ("CONNECT 1.1.1.1:99999 HTTP/1.1\r\n\r\n", 400),
        ("CONNECT a..b:443 HTTP/1.1\r\n\r\n", 502),
        ("GET http://no-such-host.invalid/ HTTP/1.1\r\n\r\n", 502),
        ("GET / HTTP/1.1\r\nX: " + "x" * 40_000 + "\r\n\r\n", 431),
    ],
    ids=["no URL", "nonsense", "ftp", "port", "name", "unknown host", "long"],
)
def test_the_proxy_refuses_what_it_cannot_pass_on(runner, sent, status):
    code = f"""
        import os, socket
        from urllib.parse import urlsplit
        proxy = urlsplit(os.environ["HTTP_PROXY"])
        with socket.create_connection((proxy.hostname, proxy.port), 20) as connection:
            connection.sendall({sent!r}.encode())
            return connection.recv(1000).decode()
    """
    end = call(runner, code, "outward")

    assert end.response.startswith(f"HTTP/1.1 {status} "), end


@pytest.mark.parametrize("network", ["none", "outward"])
def test_a_run_has_only_a_loopback_interface(runner, network):
    end = call(runner, "import socket\nreturn [name for _, name in socket.if_nameindex()]", network)

    assert end.response == ["lo"]


def test_a_run_may_use_its_own_loopback_interface(runner):
    code = """
        import socket
        with socket.create_server(("127.0.0.1", 0)) as server:
            with socket.create_connection(server.getsockname(), 5): return "connected"
    """

    assert call(runner, code, "none").response == "connected"


def test_a_run_without_network_has_no_proxy(runner):
    code = "import os\nreturn [name for name in os.environ if 'proxy' in name.lower()]"

    assert call(runner, code, "none").response == []


@pytest.mark.parametrize("network", ["none", "outward"])
def test_a_run_does_not_see_the_sockets_of_services(runner, network):
    end = call(runner, "import os\nreturn os.listdir('/run')", network)

    assert end.response == [] or "Permission denied: '/run'" in end.error


OTHER_SOCKETS = """
import ctypes, errno, socket
found = []
for family in (socket.AF_VSOCK, socket.AF_PACKET, socket.AF_ALG, socket.AF_CAN):
    try: socket.socket(family, socket.SOCK_DGRAM).close()
    except OSError as error: found.append(errno.errorcode[error.errno])
    else: found.append("made")
libc = ctypes.CDLL(None, use_errno=True)
libc.syscall(425, 8, None)
return [found, errno.errorcode[ctypes.get_errno()]]
"""


@pytest.mark.parametrize("network", ["none", "outward"])
def test_a_run_cannot_make_sockets_that_a_network_namespace_does_not_contain(runner, network):
    """AF_VSOCK connects a virtual machine to its host; io_uring makes sockets past the filter."""
    end = call(runner, OTHER_SOCKETS, network)

    assert end.response == [["EAFNOSUPPORT"] * 4, "EPERM"], end.error


def test_with_all_a_run_may_use_io_uring(runner):
    assert call(runner, OTHER_SOCKETS, "all").response[1] != "EPERM"


@pytest.mark.parametrize("family", ["AF_UNIX", "AF_INET", "AF_INET6", "AF_NETLINK"])
def test_a_run_may_make_the_usual_sockets(runner, family):
    code = f"import socket\nkind = socket.SOCK_RAW if {family!r} == 'AF_NETLINK' else socket.SOCK_STREAM\n"
    end = call(runner, f"{code}socket.socket(socket.{family}, kind).close()\nreturn 1", "none")

    assert end.response == 1, end.error


def test_the_proxy_ends_with_its_factory(runner):
    own = MarkedRunner()
    try:
        assert call(own, "return 1", "outward").response == 1
        assert own.processes()
    finally:
        own.close()

    assert not own.processes()


def test_the_proxy_of_a_process_that_has_ended_ends_before_the_worker():
    environment = {"PATH": os.environ["PATH"]}
    with closing(WorkerProcess(environment=environment, search_path=[str(TOOLS)])) as worker:
        worker.read_isolation()
        *_, described = describe(
            worker, {"attack_tool:Factory": FactoryOptions(network="outward")}, timeout_s=20
        )
        pid = worker._process.pid

        assert described[1].tool_id == "attack"
        assert soon(lambda: not Path(f"/proc/{pid}/task/{pid}/children").read_text())


# Public addresses, in a network that is made for the test


OUTSIDE = """
set -e
ip link set lo up
ip link add here type veth peer name there
unshare --net sleep 60 >/dev/null 2>&1 & other=$!
trap 'kill $other $server' EXIT
until [ "$(readlink /proc/$other/ns/net)" != "$(readlink /proc/$$/ns/net)" ]; do sleep 0.05; done
ip link set there netns $other
ip address add 9.9.9.1/24 dev here
ip link set here up
nsenter --target $other --net ip address add 9.9.9.9/24 dev there
nsenter --target $other --net ip link set there up
nsenter --target $other --net "$1" -c "$2" >/dev/null 2>&1 & server=$!
"$1" -c "$3"
"""
SERVER = """
import http.server
http.server.ThreadingHTTPServer(("9.9.9.9", 8000), http.server.SimpleHTTPRequestHandler).serve_forever()
"""
CLIENT = """
import socket, time
from tests.playground.runner.test_network import call, read
from tests.playground.runners import MarkedRunner
until = time.monotonic() + 20
while time.monotonic() < until:
    try: socket.create_connection(("9.9.9.9", 8000), 5).close(); break
    except OSError: time.sleep(0.05)
runner = MarkedRunner()
for url in ("http://9.9.9.9:8000/", "http://9.9.9.1:8000/"):
    end = call(runner, read(url), "outward")
    print(url, end.outcome, (end.error or "").splitlines()[:1])
end = call(runner, "import socket; socket.create_connection(('9.9.9.9', 8000), 5)", "outward")
print("directly", end.outcome, end.error.splitlines()[0])
runner.close()
"""


def test_outward_reaches_public_addresses_through_the_proxy_alone(tmp_path):
    tried = subprocess.run(
        ["unshare", "--net", "ip", "link", "add", "name", "trial", "type", "veth"], check=False
    )
    if not shutil.which("nsenter") or tried.returncode:
        pytest.skip("this user cannot make a network of its own")
    command = ["unshare", "--net", "bash", "-c", OUTSIDE, "bash", sys.executable, SERVER, CLIENT]

    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )

    assert done.returncode == 0, done.stderr
    public, own, directly = done.stdout.splitlines()
    assert public == "http://9.9.9.9:8000/ returned []"
    assert own.startswith(
        "http://9.9.9.1:8000/ raised ['HTTPError: HTTP Error 403: This tool can reach only public addresses"
    )
    assert directly == "directly raised OSError: [Errno 101] Network is unreachable"


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("1.1.1.1", True),
        ("2606:4700:4700::1111", True),
        ("64:ff9b::101:101", True),
        ("127.0.0.1", False),
        ("10.1.2.3", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("0.0.0.0", False),
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("::1", False),
        ("::", False),
        ("fe80::1%lo", False),
        ("fd00::1", False),
        ("ff02::1", False),
        ("::ffff:127.0.0.1", False),
        ("::ffff:1.1.1.1", True),
        ("64:ff9b::7f00:1", False),
        ("2002:7f00:1::", False),
        ("2001:0:1.1.1.1", False),
        ("localhost", False),
    ],
)
def test_an_address_is_public_or_not(address, public):
    assert is_public(address) is public


# Where the machine cannot enforce it


@pytest.mark.parametrize(
    ("modes", "reason"),
    [
        ((), "it is switched off"),
        (("networks",), "this machine allows no namespaces"),
        (("namespaces", "own users"), "it is switched off"),
    ],
)
@pytest.mark.parametrize("network", ["none", "outward"])
def test_a_network_that_cannot_be_enforced_refuses_the_run(modes, reason, network, tmp_path):
    mark = tmp_path / "called"
    with closing(MarkedRunner(modes=modes)) as runner:
        end = call(runner, f"open('{mark}', 'w')", network)

    assert end.outcome == "raised"
    assert (
        f'its network is set to "{network}", which cannot be enforced on this machine: {reason}.'
        in end.error
    )
    assert not mark.exists()


def test_outward_is_refused_where_the_site_itself_uses_a_proxy():
    environment = {"HTTPS_PROXY": "http://proxy.example:3128"}
    settings = FactorySettings(environment, network_by_id={"ATTACK": "outward"})
    found = FactoryRegistry(
        ["attack_tool:Factory", "typed_tools:plain"],
        search_path=[str(TOOLS)],
        factory_settings=settings,
    )

    limited, other = found.all()

    assert (limited.state, limited.network) == ("broken", "outward")
    assert "the site uses a proxy (HTTPS_PROXY), so it cannot check the addresses" in limited.error
    assert (other.state, other.network) == ("ok", "all")
    assert list(found.unenforceable_networks()) == ["outward"]
    assert "outward is not available here" in next(
        each.text for each in found.isolation() if each.name == "Network"
    )


def test_an_import_has_the_network_of_the_factory(runner, site, tmp_path):
    for directory in (tmp_path, tmp_path.parent, tmp_path.parent.parent):
        directory.chmod(0o755)
    code = (
        f"import urllib.request\nurllib.request.urlopen('http://127.0.0.1:{site}/')\nfrom "
        "attack_tool import Factory\n"
    )
    (tmp_path / "imports_early.py").write_text(code)
    paths = [str(tmp_path), str(TOOLS)]

    def state(**networks):
        settings = FactorySettings({}, network_by_id=networks)
        (info,) = FactoryRegistry(
            ["imports_early:Factory"], search_path=paths, factory_settings=settings
        ).all()
        return info.state, (info.error or "").splitlines()[:1]

    refused = ["URLError: <urlopen error [Errno 111] Connection refused>"]
    assert state() == ("ok", [])
    assert state(IMPORTS_EARLY_FACTORY="none") == ("broken", refused)
    assert state(ATTACK="none") == ("broken", refused), "its tool could be meant"
