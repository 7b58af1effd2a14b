"""Environment variables of functions, from the manifest's grants."""

from collections.abc import Mapping
from typing import Final

from infra.deployment import Deployment
from memory_layer.manifest import env
from memory_layer.manifest.functions import Function, Grant

MODEL_FOLDER: Final = "/opt/model"
"""Folder of the embedding model in the onnx layer."""

_INDEX: Final = (env.SEARCHED_INDEX, env.SEARCH_ENDPOINT, env.SEGMENTS_BUCKET)
"""Places of the indexes, of which a deployment has one or two."""

_VARIABLES: Final[dict[Grant, tuple[str, ...]]] = {
    "read records": (env.RECORDS_TABLE,),
    "write records": (env.RECORDS_TABLE,),
    "scan records": (env.RECORDS_TABLE,),
    "read clients": (env.CLIENTS_TABLE,),
    "search index": _INDEX,
    "write index": (
        *_INDEX,
        *(env.SEARCH_ENGINE, env.SEARCH_SHARDS, env.SEARCH_SPREAD, env.SEARCH_REPLICAS),
    ),
    "rebuild index": _INDEX,
    "keep answers": (env.BLOBS_BUCKET,),
    "keep operations": (env.BLOBS_BUCKET,),
    "keep snapshots": (env.BLOBS_BUCKET,),
    "keep erasures": (env.BLOBS_BUCKET,),
    "keep histories": (env.BLOBS_BUCKET,),
    "keep rollbacks": (env.BLOBS_BUCKET,),
    "read bodies": (env.BLOBS_BUCKET,),
    "keep bodies": (env.BLOBS_BUCKET,),
    "publish events": (env.EVENT_BUS,),
    "tell changes": (env.EVENT_BUS,),
}


def model_variables(deployment: Deployment) -> dict[str, str]:
    """Variables that name another embedding model than our own; none: the deployment has ours."""
    if deployment.embedding_model is None:
        return {}
    return {
        env.EMBEDDING_MODEL: deployment.embedding_model,
        env.EMBEDDING_DIMENSIONS: str(deployment.embedding_dimensions),
    }


def environment_of(function: Function, known: Mapping[str, str]) -> dict[str, str]:
    """Variables that a function's grants, model and events call for.

    Args:
        known: every variable's value in this deployment.
    """
    names = {env.DEPLOYMENT} | {name for grant in function.grants for name in _VARIABLES[grant]}
    if function.embeds:
        names.add(env.MODEL_DIR)
    if (
        function.embeds or "write index" in function.grants
    ):  # an index is made by the model's name and dimensions
        names |= {env.EMBEDDING_MODEL, env.EMBEDDING_DIMENSIONS} & known.keys()
    if function.queued_events:
        names.add(env.EVENT_SOURCES)
    if function.routes:
        names |= {env.ISSUER, env.SCOPES, env.ORIGINS}
    elsewhere = {name for name in _INDEX if name not in known}
    return {name: known[name] for name in sorted(names - elsewhere)}
