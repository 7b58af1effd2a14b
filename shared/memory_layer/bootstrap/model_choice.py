"""Choice of the embedding model of a data folder: bring an encoder, go back, and tell of the one in use."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory_layer.bootstrap.embedding_model import folder_of_model
from memory_layer.errors import Invalid, NotFound
from memory_layer.settings import EmbeddedSettings


@dataclass(frozen=True, slots=True)
class SwitchedModel:
    """Model that was chosen for a data folder. Args: before: id of the one before it."""

    model: str
    before: str
    dimensions: int
    facts: Mapping[str, Any]


def use_encoder(
    settings: EmbeddedSettings,
    wanted: str,
    said: Mapping[str, Any],
    tell: Callable[[str], None],
    check: Callable[[], None] = lambda: None,
) -> SwitchedModel:
    """Chooses an encoder for a data folder: one that lies in a folder, or one brought before, by its id.

    Args:
        said: options that its export does not say (adapters.onnx.export_folder.SaidOptions).
        check: raises what forbids the choice now; it is asked once the encoder is known to be of use.

    Raises:
        Invalid: it cannot be used, or there is no such pooling.
        NotFound: there is neither such a folder nor such an encoder.
    """
    from memory_layer.adapters.onnx.bring_encoder import bring_encoder
    from memory_layer.adapters.onnx.encoder_files import read_encoder
    from memory_layer.adapters.onnx.export_folder import POOLINGS, SaidOptions

    if said.get("pooling") not in (None, *POOLINGS):
        raise Invalid(f"there is no pooling {said['pooling']!r}; there are: {', '.join(POOLINGS)}")
    models, options = folder_of_model(settings.model_dir, "any").parent, SaidOptions(**said)
    if Path(wanted).is_dir():
        files = bring_encoder(Path(wanted), models, tell, options)
    elif wanted in brought_encoders(settings):
        if options != SaidOptions():
            raise Invalid(f"{wanted} was brought with its options; bring its folder again to change them")
        files = read_encoder(models / wanted)
    else:
        known = ", ".join(brought_encoders(settings)) or "none"
        raise NotFound(f"there is no folder {wanted}, and no encoder of this id; there are: {known}")
    check()
    return _switched(settings, files.model, files.dimensions)


def brought(folder: Path, models: Path, tell: Callable[[str], None]) -> tuple[str, int]:
    """Brings an encoder into a folder of models, and returns its id and dimensions. Raises: Invalid."""
    from memory_layer.adapters.onnx.bring_encoder import bring_encoder

    files = bring_encoder(folder, models, tell)
    return files.model, files.dimensions


def use_own_model(settings: EmbeddedSettings) -> SwitchedModel:
    """Chooses the model that the product builds."""
    from memory_layer.adapters.onnx.artifact import DIMENSIONS

    return _switched(settings, None, DIMENSIONS)


def _switched(settings: EmbeddedSettings, model: str | None, dimensions: int) -> SwitchedModel:
    from memory_layer.adapters.embedded.files.model_choice import ModelChoice, read_choice, write_choice
    from memory_layer.adapters.onnx.artifact import MODEL_ID
    from memory_layer.errors import StoreUnavailable

    try:
        before = read_choice(settings.data_dir)
    except StoreUnavailable:  # the remedy for a damaged file is to choose again
        before = ModelChoice()
    write_choice(settings.data_dir, before.switched(model, dimensions))
    return SwitchedModel(
        model or MODEL_ID, before.model or MODEL_ID, dimensions, model_facts(settings, model)
    )


def brought_encoders(settings: EmbeddedSettings) -> list[str]:
    """Ids of the encoders in the folder of models, in order."""
    from memory_layer.adapters.onnx.artifact import MANIFEST_FILE, MODEL_ID

    models = folder_of_model(settings.model_dir, "any").parent
    found = models.glob(f"*/{MANIFEST_FILE}") if models.is_dir() else ()
    return sorted(path.parent.name for path in found if path.parent.name != MODEL_ID and _embeds(path))


def _embeds(manifest: Path) -> bool:
    """Tests if a manifest is that of an encoder, and not of a reranker beside it; a damaged one is named as well."""
    try:
        return "calibration" in json.loads(manifest.read_text("utf-8"))
    except (OSError, ValueError):
        return True


def model_facts(settings: EmbeddedSettings, model: str | None) -> dict[str, Any]:
    """Facts of a model: its options, its scale and what calibration did to it; of the product's own its dimensions.

    Raises:
        EmbedderUnavailable: the encoder is not there any more.
    """
    from dataclasses import asdict

    from memory_layer.adapters.onnx.artifact import DIMENSIONS, MODEL_ID
    from memory_layer.adapters.onnx.encoder_files import read_encoder
    from memory_layer.domain.retrieval.vector_calibration import OWN_SCALE

    if model is None:
        return {"model": MODEL_ID, "dimensions": DIMENSIONS, "scale": asdict(OWN_SCALE)}
    files = read_encoder(folder_of_model(settings.model_dir, model))
    return {
        **asdict(files.options),
        "model": files.model,
        "dimensions": files.dimensions,
        "mean_taken_off": files.calibration.share,
        "scale": asdict(files.scale),
        "raw_scale": asdict(files.raw_scale),
    }


def model_status(settings: EmbeddedSettings) -> dict[str, Any]:
    """Facts of the model in use, with the numbers of memories that have its vectors or others; nothing is written.

    Raises:
        StoreUnavailable: the choice, or the database, cannot be read.
        EmbedderUnavailable: the encoder is not there any more.
    """
    from memory_layer.adapters.embedded.files.model_choice import read_choice

    facts = model_facts(settings, read_choice(settings.data_dir).model)
    counts = model_counts(settings, facts["model"])
    return {
        **facts,
        **counts,
        "brought": brought_encoders(settings),
        "reranker": reranker_facts(settings),
    }


def use_reranker(settings: EmbeddedSettings, folder: Path | None, first: int) -> dict[str, Any] | None:
    """Chooses a cross-encoder for a data folder, or none, and returns its id and how much it reads.

    Args:
        folder: of the cross-encoder; None: there is to be none.
        first: how many hits of a recall it reads.

    Raises:
        Invalid: it cannot be used.
    """
    from memory_layer.adapters.embedded.files.reranker_choice import RerankerChoice, write_reranker
    from memory_layer.adapters.onnx.cross_encoder import bring_reranker

    if folder is None:
        write_reranker(settings.data_dir, None)
        return None
    model = bring_reranker(folder, folder_of_model(settings.model_dir, "any").parent)
    write_reranker(settings.data_dir, RerankerChoice(model, first))
    return {"model": model, "first": first}


def reranker_facts(settings: EmbeddedSettings) -> dict[str, Any] | None:
    """Id of the reranker of a data folder, and how much it reads; None: there is none."""
    from dataclasses import asdict

    from memory_layer.adapters.embedded.files.reranker_choice import read_reranker

    choice = read_reranker(settings.data_dir)
    return None if choice is None else asdict(choice)


def model_counts(settings: EmbeddedSettings, model: str) -> dict[str, Any]:
    """Numbers of the memories of a folder, and of those with vectors of each model."""
    from contextlib import closing

    from memory_layer.bootstrap.storage import open_to_read

    if not settings.database.exists():
        return {"memories": 0, "embedded": 0, "others": {}}
    with closing(open_to_read(settings.database)) as connection:
        sql = "SELECT embedding_model, count(*) FROM memories GROUP BY embedding_model"
        counts = {name or "none": count for name, count in connection.execute(sql).fetchall()}
    embedded = counts.pop(model, 0)
    return {"memories": embedded + sum(counts.values()), "embedded": embedded, "others": counts}
