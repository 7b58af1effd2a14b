"""The environment variables that this product reads, all of them. Standard library only."""

from typing import Final

DATA_DIR: Final = "MEMORY_LAYER_DATA"
"""The embedded backend's data folder; default ~/.memory-layer."""

MODEL_DIR: Final = "MEMORY_LAYER_MODEL_DIR"
"""The folder of the embedding model; default ~/.cache/memory-layer/models."""

PROJECT: Final = "MEMORY_LAYER_PROJECT"
"""The command line's project; default: a slug of the current folder's name."""

# The aws backend; CDK gives each function those that its manifest entry needs.
RECORDS_TABLE: Final = "MEMORY_LAYER_RECORDS_TABLE"
CLIENTS_TABLE: Final = "MEMORY_LAYER_CLIENTS_TABLE"
SEARCH_ENDPOINT: Final = "MEMORY_LAYER_SEARCH_ENDPOINT"
"""https://host of the OpenSearch domain; http://127.0.0.1:port in tests, which are not signed."""

SEARCH_ENGINE: Final = "MEMORY_LAYER_SEARCH_ENGINE"
"""The k-NN engine: faiss (default) or lucene."""

SEARCH_SHARDS: Final = "MEMORY_LAYER_SEARCH_SHARDS"
SEARCH_REPLICAS: Final = "MEMORY_LAYER_SEARCH_REPLICAS"
"""Of an index that is made from now on; one that stands keeps its shards until a rebuild."""

FAILED_CHANGES_QUEUE: Final = "MEMORY_LAYER_FAILED_CHANGES_QUEUE"
"""URL of the queue of what the stream gave up; what can never be indexed goes there as well."""

BLOBS_BUCKET: Final = "MEMORY_LAYER_BLOBS_BUCKET"
EVENT_BUS: Final = "MEMORY_LAYER_EVENT_BUS"
EVENT_SOURCES: Final = "MEMORY_LAYER_EVENT_SOURCES"
"""Whom events of completed runs speak for: JSON, {"source": {"tenant": ..., "sub": ..., "persona": ...}}."""

AWS_ENDPOINT: Final = "MEMORY_LAYER_AWS_ENDPOINT"
"""Where DynamoDB, S3 and EventBridge answer in tests; unset in the cloud."""
