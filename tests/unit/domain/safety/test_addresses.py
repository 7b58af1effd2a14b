"""Addresses to which a webhook may be sent."""

from __future__ import annotations

import pytest

from memory_layer.domain.safety.addresses import is_allowed, is_named, read_networks

PRIVATE = (
    *("127.0.0.1", "127.8.8.8", "10.0.0.1", "172.16.3.4", "192.168.1.1", "169.254.169.254", "0.0.0.0"),
    *("100.64.0.1", "192.0.2.1", "198.18.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255"),
    *("::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "fd12:3456::1", "ff02::1", "2001:db8::1", "fec0::1"),
    *("::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "::ffff:7f00:1", "::127.0.0.1"),
    *("64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::a00:1", "2002:7f00:1::", "2002:a00:1::1"),
)
PUBLIC = ("93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c", "::ffff:93.184.215.14")


@pytest.mark.parametrize("address", PRIVATE)
def test_no_private_address_is_sent_to_in_any_form(address: str) -> None:
    """Falls without the embedded forms of IPv4 in IPv6."""
    assert not is_allowed(address, ())


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_is_sent_to(address: str) -> None:
    assert is_allowed(address, ())


def test_a_named_network_is_sent_to_and_no_other() -> None:
    networks = read_networks("127.0.0.0/8, fd00::/8")
    assert all(is_allowed(one, networks) for one in ("127.0.0.1", "::ffff:127.0.0.1", "fd12::1", *PUBLIC))
    assert not any(is_allowed(one, networks) for one in ("10.0.0.1", "::1", "fc00::1", "::ffff:10.0.0.1"))
    assert is_named("127.0.0.1", networks)
    assert not is_named(PUBLIC[0], networks)


def test_a_network_that_is_none_is_refused() -> None:
    assert read_networks("") == ()
    for text in ("10.0.0.1/8", "everything", "10.0.0.0/33"):
        with pytest.raises(ValueError, match=r"\S"):
            read_networks(text)
