"""Contents of the Lambda layers: the locked distributions that a function imports. Standard library only.

`layers/build.py` adds their own dependencies, from the same lock.
"""

import hashlib
from pathlib import Path
from typing import Final

PYTHON: Final = "3.13"
"""Version of Lambda's runtime, for which the layers are built."""

LAPTOP_ONLY: Final = frozenset(
    {
        "anyio",  # local/asgi.py
        "mcp",
        "onnx",  # builds the model; running it needs onnxruntime alone
        "pyjwt",  # tokens of a laptop; API Gateway checks those of the cloud
        "rich",
        "safetensors",  # builds the model
        "simsimd",  # scans the RAM index
        "threadpoolctl",  # holds numpy in a process of others; a function sets its environment
        "typer",
        "uvicorn",
    }
)
"""Distributions declared in pyproject.toml that no function imports. All others declared there go into a layer."""

EMBEDDING: Final = frozenset({"onnxruntime", "tokenizers"})
"""Distributions in layer onnx, with their own dependencies, and the model. All the rest is in layer base."""

LEFT_OUT: Final = frozenset(
    {
        "boto3",  # the adapters use botocore's clients themselves
        "s3transfer",  # boto3's
        "grpcio",  # opensearch-py speaks HTTP unless told otherwise
        "opensearch-protobufs",  # the same
        "protobuf",  # onnxruntime's tools and opensearch-py's gRPC
        "flatbuffers",  # onnxruntime's tools
        "packaging",  # onnxruntime's tools
        "huggingface-hub",  # tokenizers' downloads
    }
)
"""Dependencies left out of the layers, as no function uses them; tests start every function without them."""

AWS_SERVICES: Final = frozenset({"bedrock-runtime", "dynamodb", "events", "s3", "sqs", "sts", "xray"})
"""Services whose models botocore keeps, of some 400; X-Ray's library asks for its own."""

TRIMMED: Final = (
    "bin",
    "**/tests",
    "**/test",
    "**/*.pyi",
    "**/*.pyx",
    "**/*.pxd",
    "**/*.a",
    "**/*.h",
    "*.dist-info/RECORD",
    "*.dist-info/INSTALLER",
    "*.dist-info/REQUESTED",
    "numpy/f2py",
    "numpy/_pyinstaller",
    "onnxruntime/datasets",
    "onnxruntime/quantization",
    "onnxruntime/tools",
    "onnxruntime/transformers",
    "botocore/data/*/*/examples-1.json",
    "botocore/data/*/*/paginators-1.json",
    "botocore/data/*/*/waiters-2.json",
    "botocore/data/*/*/completions-1.json",
)
"""Paths inside `python/` that nothing imports, as glob patterns."""

MAX_UNZIPPED_MB: Final = 200
"""Limit of a function with its layers. Lambda unpacks 250."""

INPUTS: Final = (
    "requirements-aws.lock",
    "layers/build.py",
    "shared/memory_layer/manifest/layers.py",
    "shared/memory_layer/adapters/onnx/artifact.py",  # a changed graph or quantization takes a new id there
)
"""Files that determine the content of a layer, from the repository's root."""


def stamp_of(root: Path) -> str:
    """Digest of all that layers are built from, so that outdated ones are not deployed."""
    digests = (hashlib.sha256((root / name).read_bytes()).digest() for name in INPUTS)
    return hashlib.sha256(b"".join(digests)).hexdigest()


def stamp_file(folder: Path) -> Path:
    """Path of a layer's stamp: beside its folder, all of which is uploaded."""
    return folder.with_name(f"{folder.name}.stamp")


def is_current(folder: Path, root: Path) -> bool:
    """Tests if a layer was built from the present inputs."""
    stamp = stamp_file(folder)
    return stamp.is_file() and stamp.read_text("utf-8").strip() == stamp_of(root)
