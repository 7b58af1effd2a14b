"""Names of all environment variables that the product reads. Standard library only."""

from typing import Final

DATA_DIR: Final = "MEMORY_LAYER_DATA"
"""Data folder of the embedded backend; default ~/.memory-layer."""

MODEL_DIR: Final = "MEMORY_LAYER_MODEL_DIR"
"""Folder of the embedding model; default ~/.cache/memory-layer/models."""

LOW_DISK_MB: Final = "MEMORY_LAYER_LOW_DISK_MB"
"""Free megabytes on the disk of the data folder under which /readyz and `mem doctor` warn; default 1000."""

WEBHOOK_NETWORKS: Final = "MEMORY_LAYER_WEBHOOK_NETWORKS"
"""Private networks to which webhooks may send, such as 127.0.0.0/8,10.1.0.0/16; default none."""

PROJECT: Final = "MEMORY_LAYER_PROJECT"
"""Project of the command line, whose default is that of the folder's repository, and of clients."""

URL: Final = "MEMORY_LAYER_URL"
"""Address of the service, for clients."""

TOKEN: Final = "MEMORY_LAYER_TOKEN"
"""Token of the service, for clients."""

AGENT: Final = "MEMORY_LAYER_AGENT"
"""Agent for whom the command line speaks; default: the one whose variables are set where no terminal is."""

BLAS_THREADS: Final = "OPENBLAS_NUM_THREADS"
"""Threads of numpy's BLAS, which reads it when it is loaded; processes of our own take one."""

EMBEDDING_MODEL: Final = "MEMORY_LAYER_EMBEDDING_MODEL"
"""Embedding model of the aws backend: bedrock:<model id>, or encoder:<id> of one in the layer; default: our own."""

EMBEDDING_DIMENSIONS: Final = "MEMORY_LAYER_EMBEDDING_DIMENSIONS"
"""Dimensions of its vectors, also for functions that make the index and do not carry the model."""

TRACE_HEADER: Final = "_X_AMZN_TRACE_ID"
"""X-Ray's header of the event that a function is at, which Lambda sets anew for each."""

DEPLOYMENT: Final = "MEMORY_LAYER_DEPLOYMENT"
"""Name of the deployment on AWS, a dimension of its metrics, such as memory-layer-prod."""

# The aws backend; CDK gives each function those that its manifest entry needs.
RECORDS_TABLE: Final = "MEMORY_LAYER_RECORDS_TABLE"
CLIENTS_TABLE: Final = "MEMORY_LAYER_CLIENTS_TABLE"
SEARCH_ENDPOINT: Final = "MEMORY_LAYER_SEARCH_ENDPOINT"
"""URL of the OpenSearch domain, https://host; in tests http://127.0.0.1:port, with unsigned requests."""

SEARCH_ENGINE: Final = "MEMORY_LAYER_SEARCH_ENGINE"
"""Engine of k-NN search: faiss (default) or lucene."""

SEARCH_SHARDS: Final = "MEMORY_LAYER_SEARCH_SHARDS"
SEARCH_SPREAD: Final = "MEMORY_LAYER_SEARCH_SPREAD"
SEARCH_REPLICAS: Final = "MEMORY_LAYER_SEARCH_REPLICAS"
"""Shards, those that one project lies on, and replicas, of an index made from now on; a rebuild makes one."""

FAILED_CHANGES_QUEUE: Final = "MEMORY_LAYER_FAILED_CHANGES_QUEUE"
"""URL of the queue of stream records given up; items that can never be indexed go there as well."""

SWEEP_QUEUE: Final = "MEMORY_LAYER_SWEEP_QUEUE"
"""URL of the queue of projects that are to be swept."""

SEGMENTS_BUCKET: Final = "MEMORY_LAYER_SEGMENTS_BUCKET"
"""Bucket of the segments of an index without a search domain; set, it is written to."""

SEARCHED_INDEX: Final = "MEMORY_LAYER_SEARCHED_INDEX"
"""Index that is searched: segments or domain; default: segments where there is a bucket of them."""

BLOBS_BUCKET: Final = "MEMORY_LAYER_BLOBS_BUCKET"
EVENT_BUS: Final = "MEMORY_LAYER_EVENT_BUS"
EVENT_SOURCES: Final = "MEMORY_LAYER_EVENT_SOURCES"
"""Principals of completed-run events by source: JSON, {"source": {"tenant": ..., "sub": ..., "persona": ...}}."""

ISSUER: Final = "MEMORY_LAYER_ISSUER"
"""URL of the issuer of the tokens that API Gateway takes: MCP clients are told it. Of people's, on a laptop."""

CONSOLE_CLIENT: Final = "MEMORY_LAYER_CONSOLE_CLIENT"
"""Id of the console's public client at the issuer, whose tokens `mem serve --auth` takes."""

SCOPES: Final = "MEMORY_LAYER_SCOPES"
"""Scopes, with blanks between, of which a token must have one."""

API_URL: Final = "MEMORY_LAYER_API_URL"
"""Address of the deployment's API, for its canary."""

ORIGIN_SECRET: Final = "MEMORY_LAYER_ORIGIN_SECRET"
"""Secret that the content network before the API sends along; without it every caller is let through."""

ORIGINS: Final = "MEMORY_LAYER_ORIGINS"
"""Origins of web pages, with blanks between, that may call."""

AWS_ENDPOINT: Final = "MEMORY_LAYER_AWS_ENDPOINT"
"""Address of DynamoDB, S3 and EventBridge in tests; unset in the cloud."""
