"""Uploads what stacks need before they are made, as `cdk deploy` does."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

from tests.deployed.assembly import Asset

PLACEHOLDER: Final = "python/placeholder.txt"
"""In a layer that was not built; its text begins with the layer's name."""

_ZIP_LEVEL: Final = 1  # 160 MB of layers: 2 s, 7 s at the default level


def publish(assets: Iterable[Asset], layers: Mapping[str, Path], s3: Any) -> None:
    """Put every asset where templates look for it.

    Args:
        layers: folders, by the names of the layers whose placeholders they replace.
        s3: boto3's client.
    """
    found = list(assets)
    for bucket in sorted({asset.bucket for asset in found}):
        s3.create_bucket(Bucket=bucket)

    def upload(asset: Asset) -> None:
        s3.put_object(Bucket=asset.bucket, Key=asset.key, Body=_content(asset, layers))

    with ThreadPoolExecutor() as pool:
        list(pool.map(upload, found))


def _content(asset: Asset, layers: Mapping[str, Path]) -> bytes:
    if not asset.is_zipped:
        return asset.source.read_bytes()
    placeholder = asset.source / PLACEHOLDER
    if placeholder.exists():
        return zipped(layers[placeholder.read_text("utf-8").partition("-")[0]])
    return zipped(asset.source)


def zipped(folder: Path) -> bytes:
    """All files of a folder, at the archive's root."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=_ZIP_LEVEL) as archive:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                archive.write(file, file.relative_to(folder))
    return content.getvalue()
