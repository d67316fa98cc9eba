"""Which addresses outgoing connections may reach."""

import pytest

from toolshelf_core.errors import OutgoingError
from toolshelf_core.outgoing.addresses import AddressPolicy, AddressRefused, resolve

PUBLIC_ONLY = AddressPolicy()


@pytest.mark.parametrize("address", ["93.184.216.34", "8.8.8.8", "2606:4700::1111"])
def test_a_public_address_may_be_reached(address):
    assert PUBLIC_ONLY.check("tools.example", [address]) == [address]


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        ("127.0.0.1", "loopback"),
        ("0.0.0.0", "unspecified"),
        ("10.1.2.3", "private"),
        ("169.254.169.254", "link-local"),
        ("100.64.0.1", "reserved"),
        ("224.0.0.1", "multicast"),
        ("255.255.255.255", "private"),
        ("::1", "loopback"),
        ("fe80::1", "link-local"),
        ("fd00::1", "private"),
        ("::ffff:127.0.0.1", "loopback"),
        ("64:ff9b::10.0.0.1", "private"),
        ("2002:7f00:1::", "loopback"),
    ],
)
def test_an_address_that_is_not_public_is_refused(address, kind):
    with pytest.raises(
        AddressRefused,
        match=f"has the address .*, a {kind} address, which connections may not reach",
    ):
        PUBLIC_ONLY.check("tools.example", [address])


def test_the_refusal_names_the_setting_that_allows_it():
    with pytest.raises(AddressRefused) as refused:
        PUBLIC_ONLY.check("10.1.2.3", ["10.1.2.3"])

    assert str(refused.value) == (
        "10.1.2.3 is a private address, which connections may not reach. "
        "An administrator can allow its network in TOOLSHELF_ALLOWED_NETWORKS."
    )


def test_one_private_address_beside_a_public_one_is_refused():
    with pytest.raises(AddressRefused):
        PUBLIC_ONLY.check("tools.example", ["93.184.216.34", "10.0.0.1"])


def test_an_allowed_network_may_be_reached_and_its_neighbour_may_not():
    policy = AddressPolicy(("10.1.0.0/16", "fd00::/8"))

    assert policy.check("tools.example", ["10.1.2.3", "fd00::2", "::ffff:10.1.2.3"])
    with pytest.raises(AddressRefused):
        policy.check("tools.example", ["10.2.0.1"])


@pytest.mark.parametrize("host", ["2130706433", "0x7f000001", "127.1", "localhost"])
def test_other_notations_of_an_address_are_resolved_before_the_check(host):
    with pytest.raises(AddressRefused):
        PUBLIC_ONLY.check(host, resolve(host, 80))


@pytest.mark.parametrize("name", ["no-such-name.invalid", "a" * 300])
def test_a_name_that_does_not_exist_is_an_error(name):
    with pytest.raises(OutgoingError, match=f"The name {name[:20]}.* cannot be resolved"):
        resolve(name, 80)
