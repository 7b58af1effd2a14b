"""Files of the built console: found in the package, kept in memory, each with its type and how long it may be kept."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

BUNDLE: Final = Path(__file__).parent / "bundle"
"""Folder that `make console` writes; the wheel carries it."""

INDEX: Final = "index.html"
TYPES: Final[Mapping[str, str]] = MappingProxyType(
    {
        ".html": "text/html; charset=utf-8",
        ".js": "text/javascript; charset=utf-8",
        ".css": "text/css; charset=utf-8",
        ".svg": "image/svg+xml",
    }
)
KEPT: Final = "public, max-age=31536000, immutable"
"""Files with a digest in their name never change."""

NOT_KEPT: Final = "no-store"
_HAS_DIGEST: Final = re.compile(r"[\w.]+-[A-Z0-9]{8}\.\w+")


@dataclass(frozen=True, slots=True)
class BundleFile:
    """File of the bundle.

    Args:
        content: its bytes.
        content_type: as HTTP names it.
        cache_control: how long a browser may keep it.
    """

    content: bytes
    content_type: str
    cache_control: str


def read_bundle(folder: Path = BUNDLE) -> Mapping[str, BundleFile]:
    """Files of the bundle by their path below the folder; none where it was not built, or not to its end."""
    if not (folder / INDEX).is_file():
        return MappingProxyType({})
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix in TYPES)
    return MappingProxyType({path.relative_to(folder).as_posix(): _file(path) for path in files})


def _file(path: Path) -> BundleFile:
    kept = KEPT if _HAS_DIGEST.fullmatch(path.name) else NOT_KEPT
    return BundleFile(path.read_bytes(), TYPES[path.suffix], kept)
