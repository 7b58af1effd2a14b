"""Addresses to which the server may send of its own accord: none within a network that its operator has not named."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


def read_networks(text: str) -> tuple[Network, ...]:
    """Reads networks, separated by commas, such as 127.0.0.0/8,10.1.0.0/16. Raises: ValueError: one is none."""
    return tuple(ip_network(part.strip()) for part in text.split(",") if part.strip())


def is_allowed(address: str, networks: Sequence[Network]) -> bool:
    """Tells if the server may send to an address: one of a named network, or one of the public internet.

    An IPv6 address that stands for an IPv4 address has to be public in both forms.
    """
    found = ip_address(address.partition("%")[0])
    return is_named(address, networks) or all(map(_is_public, _forms(found)))


def is_named(address: str, networks: Sequence[Network]) -> bool:
    """Tells if an address, or the IPv4 address mapped in it, lies in one of the networks."""
    found = ip_address(address.partition("%")[0])
    plain = getattr(found, "ipv4_mapped", None) or found
    return any(plain in network for network in networks if network.version == plain.version)


def _forms(address: Address) -> Iterator[Address]:
    yield address
    if isinstance(address, IPv4Address):
        return
    embedded = (address.ipv4_mapped, address.sixtofour, *(address.teredo or ()))
    yield from (one for one in embedded if one is not None)


def _is_public(address: Address) -> bool:
    mapped = getattr(address, "ipv4_mapped", None)
    if mapped is not None:  # its IPv4 form is judged
        return True
    is_local = getattr(address, "is_site_local", False)
    return address.is_global and not (address.is_multicast or address.is_reserved or is_local)
