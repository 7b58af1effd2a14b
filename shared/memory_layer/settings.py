"""Settings of the process, from the environment, read in one place."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from memory_layer.domain.safety.addresses import Network, read_networks
from memory_layer.errors import IndexUnavailable, StoreUnavailable
from memory_layer.manifest import env
from memory_layer.manifest.index import Engine, SearchedIndex

DATABASE_NAME = "memory.sqlite3"


@dataclass(frozen=True, slots=True)
class EmbeddedSettings:
    """Settings of the embedded backend: folders, and the principals of run events (edge/events/completed_runs.py).

    Args:
        low_disk_bytes: free bytes on the disk of the data folder under which an operator is warned.
        webhook_networks: private networks to which webhooks may send.
        logs_requests: a server writes a line of JSON a request to stderr.
    """

    data_dir: Path
    model_dir: Path
    event_sources: str = ""
    low_disk_bytes: int = 1_000_000_000
    webhook_networks: tuple[Network, ...] = ()
    logs_requests: bool = False

    @property
    def database(self) -> Path:
        return self.data_dir / DATABASE_NAME

    @property
    def blobs(self) -> Path:
        return self.data_dir / "blobs"


@dataclass(frozen=True, slots=True)
class SignIn:
    """Issuer of the tokens that are taken.

    Args:
        issuer: URL of an authorization server; None: who runs the server mints them.
        scopes: of which a token must have one.
        origins: of web pages that may call besides the server's own.
        console_client: the console's client at the issuer, on a laptop.
    """

    issuer: str | None = None
    scopes: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    console_client: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AwsSettings:
    """Locations of the parts of the aws backend; a function gets those that its grants are for.

    `endpoint` is the address of AWS's services in tests; None in the cloud. Every index that is named is
    written to, `search_endpoint` and `segments_bucket`; `searched_index` says which is searched.
    """

    records_table: str
    clients_table: str
    search_endpoint: str
    search_engine: Engine
    blobs_bucket: str
    event_bus: str
    event_sources: str
    model_dir: Path
    endpoint: str | None
    search_shards: int = 1
    search_spread: int = 1
    search_replicas: int = 1
    failed_changes_queue: str = ""
    sweep_queue: str = ""
    segments_bucket: str = ""
    searched_index: SearchedIndex | None = None
    embedding_model: str = ""
    embedding_dimensions: int = 1

    @property
    def searches_segments(self) -> bool:
        """Tells if segments are searched; else a search domain is."""
        if self.searched_index is None:
            return bool(self.segments_bucket)
        return self.searched_index == "segments"

    def require_both_indexes(self) -> None:
        """Raises: IndexUnavailable: there is one index alone, so that writes would miss the other."""
        if not (self.segments_bucket and self.search_endpoint):
            raise IndexUnavailable(
                f"a move needs both indexes: set {env.SEGMENTS_BUCKET} and {env.SEARCH_ENDPOINT}, and deploy with "
                "-c index=segments,domain (or domain,segments), of which the first is searched"
            )


def read_aws_settings(environ: Mapping[str, str] = os.environ) -> AwsSettings:
    """Reads the aws settings from the environment; a missing one is an empty text, refused where an adapter needs it.

    Raises:
        IndexUnavailable: the k-NN engine, or a number of shards or replicas, is not valid for an index.
    """
    return AwsSettings(
        records_table=environ.get(env.RECORDS_TABLE, ""),
        clients_table=environ.get(env.CLIENTS_TABLE, ""),
        search_endpoint=environ.get(env.SEARCH_ENDPOINT, ""),
        search_engine=_engine(environ.get(env.SEARCH_ENGINE, "faiss")),
        blobs_bucket=environ.get(env.BLOBS_BUCKET, ""),
        event_bus=environ.get(env.EVENT_BUS, ""),
        event_sources=environ.get(env.EVENT_SOURCES, ""),
        model_dir=Path(environ.get(env.MODEL_DIR, "/opt/model")),
        endpoint=environ.get(env.AWS_ENDPOINT),
        search_shards=_count(environ, env.SEARCH_SHARDS, least=1),
        search_spread=_count(environ, env.SEARCH_SPREAD, least=1),
        search_replicas=_count(environ, env.SEARCH_REPLICAS, least=0),
        failed_changes_queue=environ.get(env.FAILED_CHANGES_QUEUE, ""),
        sweep_queue=environ.get(env.SWEEP_QUEUE, ""),
        segments_bucket=environ.get(env.SEGMENTS_BUCKET, ""),
        searched_index=_searched_index(environ.get(env.SEARCHED_INDEX)),
        embedding_model=environ.get(env.EMBEDDING_MODEL, ""),
        embedding_dimensions=_count(environ, env.EMBEDDING_DIMENSIONS, least=1),
    )


def read_deployment_name(environ: Mapping[str, str] = os.environ) -> str:
    """Reads the name of the deployment, by which its metrics are told from those of others."""
    return environ.get(env.DEPLOYMENT) or "unnamed"


def read_trace_header(environ: Mapping[str, str] = os.environ) -> str | None:
    """Reads X-Ray's header of the event that a function is at; None: this process is no function."""
    return environ.get(env.TRACE_HEADER)


def read_sign_in(environ: Mapping[str, str] = os.environ) -> SignIn:
    """Reads how callers sign in from the environment."""
    return SignIn(
        environ.get(env.ISSUER) or None,
        tuple(environ.get(env.SCOPES, "").split()),
        tuple(environ.get(env.ORIGINS, "").split()),
        environ.get(env.CONSOLE_CLIENT) or None,
    )


def _count(environ: Mapping[str, str], name: str, *, least: int) -> int:
    text = environ.get(name, "1")
    if not text.isdecimal() or int(text) < least:
        raise IndexUnavailable(f"{name} is {text!r}; it is a whole number from {least} on")
    return int(text)


def read_origin_secret(environ: Mapping[str, str] = os.environ) -> str:
    """Secret without which no request is answered; empty: there is none."""
    return environ.get(env.ORIGIN_SECRET, "")


def _searched_index(name: str | None) -> SearchedIndex | None:
    for index in get_args(SearchedIndex):
        if name == index:
            return name  # type: ignore[return-value]
    if name:
        raise IndexUnavailable(
            f"{env.SEARCHED_INDEX} is {name!r}; it is {' or '.join(get_args(SearchedIndex))}"
        )
    return None


def _engine(name: str) -> Engine:
    for engine in get_args(Engine):
        if name == engine:
            return name  # type: ignore[return-value]
    raise IndexUnavailable(f"{env.SEARCH_ENGINE} is {name!r}; it is {' or '.join(get_args(Engine))}")


def read_settings(
    environ: Mapping[str, str] = os.environ, *, data_dir: Path | None = None, model_dir: Path | None = None
) -> EmbeddedSettings:
    """Reads the embedded settings from the environment; arguments go before it.

    Raises:
        StoreUnavailable: the limit of the disk is no number, or a network is none.
    """
    home = Path(environ.get("HOME", "~")).expanduser()
    data = data_dir or Path(environ.get(env.DATA_DIR) or home / ".memory-layer")
    model = model_dir or Path(environ.get(env.MODEL_DIR) or home / ".cache" / "memory-layer" / "models")
    sources, low = environ.get(env.EVENT_SOURCES, ""), environ.get(env.LOW_DISK_MB, "1000")
    if not low.isdecimal():
        raise StoreUnavailable(f"{env.LOW_DISK_MB} is {low!r}; it is a whole number of megabytes from 0 on")
    networks = _networks(environ.get(env.WEBHOOK_NETWORKS, ""))
    return EmbeddedSettings(data.expanduser(), model.expanduser(), sources, int(low) * 1_000_000, networks)


def _networks(text: str) -> tuple[Network, ...]:
    try:
        return read_networks(text)
    except ValueError as error:
        raise StoreUnavailable(
            f"{env.WEBHOOK_NETWORKS}: {error}; for example 127.0.0.0/8,10.1.0.0/16"
        ) from error
