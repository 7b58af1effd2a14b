"""A change of the embedding model of a data folder: no memory is ever lost to recall, and it can be taken back."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pytest

from memory_layer.adapters.embedded.files.model_choice import CHOICE_NAME, ModelChoice, read_choice
from memory_layer.bootstrap.embedded import EmbeddedBackend, open_embedded
from memory_layer.bootstrap.model_choice import SwitchedModel, brought_encoders, model_status, use_encoder
from memory_layer.bootstrap.model_choice import use_own_model as use_own
from memory_layer.domain.retrieval.vector_layout import VectorLayout
from memory_layer.errors import Duplicate, Invalid, NotFound, StoreUnavailable
from memory_layer.settings import EmbeddedSettings
from memory_layer.usecases.context.assemble import assemble_context
from memory_layer.usecases.context.request import ContextRequest
from memory_layer.usecases.recall.recall import RecallRequest, recall
from memory_layer.usecases.sweeps.run_sweep import run_sweep
from memory_layer.usecases.transfer.verify import verify
from memory_layer.usecases.write.prepare import RememberRequest
from memory_layer.usecases.write.remember import StoredMemory, remember_many
from tests.encoders import write_export
from tests.given import ADMIN, PROJECT, SCOPE, read_back

SHIP = ("A release goes out after two colleagues agreed.", "Who approves shipping?")
CACHE = ("Redis forgets every session at midnight.", "Why were users logged off?")
TABLE = ("Spoons belong left of plates.", "Cutlery placement?")
TOPICS = (SHIP, CACHE, TABLE)


@pytest.fixture
def settings(tmp_path: Path) -> EmbeddedSettings:
    return EmbeddedSettings(tmp_path / "data", tmp_path / "models")


@pytest.fixture
def exports(tmp_path: Path) -> tuple[Path, Path]:
    """Two encoders that know the same topics; their vectors have nothing to do with each other."""
    first = write_export(tmp_path / "first", *TOPICS, dimensions=96, seed=1)
    return first, write_export(tmp_path / "second", *TOPICS, dimensions=82, seed=2)


def use(settings: EmbeddedSettings, wanted: Path | str) -> SwitchedModel:
    return use_encoder(settings, str(wanted), {}, lambda _: None)


@contextmanager
def opened(settings: EmbeddedSettings) -> Iterator[EmbeddedBackend]:
    with closing(open_embedded(settings)) as backend:
        yield backend


def tell(backend: EmbeddedBackend, *contents: str) -> list[str]:
    requests = [RememberRequest(fields={"content": content}) for content in contents]
    results = remember_many(backend.ports, ADMIN, PROJECT, requests)
    backend.drain()
    assert all(isinstance(result, StoredMemory) for result in results), results
    return [result.memory.id for result in results if isinstance(result, StoredMemory)]


def first_by_meaning(backend: EmbeddedBackend, question: str) -> str | None:
    asked = RecallRequest(query=question, strategy="semantic", limit=3)
    found = recall(backend.ports, ADMIN, PROJECT, asked).memories
    return found[0].memory.content if found else None


def all_found(backend: EmbeddedBackend) -> list[bool]:
    """Tells of each topic if its question finds its memory first, by meaning alone."""
    return [first_by_meaning(backend, question) == content for content, question in TOPICS]


def embed_some(backend: EmbeddedBackend, *, page: int | None = None, seconds: float = 60.0) -> int:
    report = run_sweep(backend.ports, "backfill", holder="test", seconds=seconds, page_records=page)
    backend.drain()
    assert report.failed == ()
    return dict(report.did).get("embedded", 0)


def models_of(backend: EmbeddedBackend, ids: list[str]) -> list[str | None]:
    return [read_back(backend.ports.store, SCOPE, id).embedding_model for id in ids]


def test_recall_never_goes_blind_while_the_model_changes(
    settings: EmbeddedSettings, exports: tuple[Path, Path]
) -> None:
    """At every step of the way all memories are found by their meaning: by old vectors, by both, by new ones.

    Falls where only the vectors of the model in use are loaded, or a question is embedded by that one alone.
    """
    before = use(settings, exports[0]).model
    with opened(settings) as backend:
        ids = tell(backend, *(content for content, _ in TOPICS))
        assert all_found(backend) == [True] * 3
        assert models_of(backend, ids) == [before] * 3
    after = use(settings, exports[1])
    assert after.before == before
    with opened(settings) as backend:
        assert all_found(backend) == [True] * 3
        assert backend.ports.index.coverage().with_vector == 0
        assert embed_some(backend, page=1, seconds=0.0) == 1
        assert sorted(map(str, models_of(backend, ids))) == sorted([before, before, after.model])
        assert all_found(backend) == [True] * 3
    with opened(settings) as backend:  # another process goes on where the one before stopped
        assert all_found(backend) == [True] * 3
        assert embed_some(backend) == 2
        assert models_of(backend, ids) == [after.model] * 3
        assert all_found(backend) == [True] * 3
        assert embed_some(backend) == 0
    with opened(settings) as backend:
        assert not hasattr(backend.ports.embedder, "layout")  # nothing is left of the model before
        assert all_found(backend) == [True] * 3


def test_it_can_be_taken_back_halfway(settings: EmbeddedSettings, exports: tuple[Path, Path]) -> None:
    before = use(settings, exports[0]).model
    with opened(settings) as backend:
        ids = tell(backend, *(content for content, _ in TOPICS))
    use(settings, exports[1])
    with opened(settings) as backend:
        embed_some(backend, page=1, seconds=0.0)
    shutil.rmtree(exports[0])  # what was brought needs its folder no more
    assert use(settings, before).model == before
    with opened(settings) as backend:
        assert all_found(backend) == [True] * 3
        assert (
            embed_some(backend) + embed_some(backend) == 1
        )  # the first goes on from where the other way stopped
        assert models_of(backend, ids) == [before] * 3
        assert all_found(backend) == [True] * 3


def test_three_models_are_found_at_once(
    settings: EmbeddedSettings, exports: tuple[Path, Path], tmp_path: Path
) -> None:
    third = write_export(tmp_path / "third", *TOPICS, dimensions=40, seed=3)
    for export, (content, _) in zip((*exports, third), TOPICS, strict=True):
        use(settings, export)
        with opened(settings) as backend:
            tell(backend, content)
    with opened(settings) as backend:
        assert len(set(backend.ports.embedder.layout.dimensions)) == 3  # type: ignore[attr-defined]
        assert all_found(backend) == [True] * 3


def test_a_duplicate_of_a_memory_of_the_model_before_is_told(
    settings: EmbeddedSettings, exports: tuple[Path, Path]
) -> None:
    """Falls where a new text is compared by the vectors of the model in use alone."""
    use(settings, exports[0])
    with opened(settings) as backend:
        (known,) = tell(backend, SHIP[0])
    use(settings, exports[1])
    with opened(settings) as backend:
        again = RememberRequest(fields={"content": "A release goes out after two colleagues agreed"})
        (result,) = remember_many(backend.ports, ADMIN, PROJECT, [again])
        assert isinstance(result, Duplicate)
        assert known in str(result)


def test_contexts_and_verification_know_both(settings: EmbeddedSettings, exports: tuple[Path, Path]) -> None:
    use(settings, exports[0])
    with opened(settings) as backend:
        tell(backend, SHIP[0], CACHE[0])
    use(settings, exports[1])
    with opened(settings) as backend:
        embed_some(backend, page=1, seconds=0.0)
        request = ContextRequest(intent=SHIP[1], time_ms=20_000, tokenizer="chars4")
        found = assemble_context(backend.ports, ADMIN, PROJECT, request)
        assert SHIP[0] in found.assembled.rendered
        assert [each.code for each in found.assembled.warnings if each.code == "COHERENCE_FAILURE"] == []
        report = verify(backend.ports, ADMIN, PROJECT)
        assert list(report.broken) == []


def test_an_encoder_that_is_gone_leaves_recall_by_words(
    settings: EmbeddedSettings, exports: tuple[Path, Path]
) -> None:
    """The vectors stay: with the encoder back, nothing need be embedded again."""
    model = use(settings, exports[0]).model
    with opened(settings) as backend:
        (id,) = tell(backend, SHIP[0])
    (settings.model_dir / model).rename(settings.model_dir / "away")
    with opened(settings) as backend:
        found = recall(backend.ports, ADMIN, PROJECT, RecallRequest(query="release colleagues"))
        assert (found.degraded, [item.memory.id for item in found.memories]) == (True, [id])
        run_sweep(backend.ports, "backfill", holder="test", seconds=1)
        assert models_of(backend, [id]) == [model]
    (settings.model_dir / "away").rename(settings.model_dir / model)
    with opened(settings) as backend:
        assert first_by_meaning(backend, SHIP[1]) == SHIP[0]


def test_an_earlier_encoder_that_is_gone_costs_its_own_memories_alone(
    settings: EmbeddedSettings, exports: tuple[Path, Path]
) -> None:
    before = use(settings, exports[0]).model
    with opened(settings) as backend:
        tell(backend, SHIP[0])
    use(settings, exports[1])
    shutil.rmtree(settings.model_dir / before)
    with opened(settings) as backend:
        tell(backend, CACHE[0])
        assert first_by_meaning(backend, CACHE[1]) == CACHE[0]
        assert embed_some(backend) == 1
    with opened(settings) as backend:
        assert first_by_meaning(backend, SHIP[1]) == SHIP[0]


def test_status_tells_the_model_and_how_far_it_has_come(
    settings: EmbeddedSettings, exports: tuple[Path, Path]
) -> None:
    before = use(settings, exports[0]).model
    with opened(settings) as backend:
        tell(backend, SHIP[0], CACHE[0])
    after = use(settings, exports[1]).model
    with opened(settings) as backend:
        embed_some(backend, page=1, seconds=0.0)
    told = model_status(settings)
    assert (told["model"], told["dimensions"], told["pooling"]) == (after, 82, "mean")
    assert (told["memories"], told["embedded"], told["others"]) == (2, 1, {before: 1})
    assert told["brought"] == brought_encoders(settings) == sorted([before, after])


def test_a_choice_that_cannot_be_read_is_told_and_guessed_never(
    settings: EmbeddedSettings, exports: tuple[Path, Path]
) -> None:
    """Under a guess all memories would be embedded again, by a model that nobody chose."""
    use(settings, exports[0])
    (settings.data_dir / CHOICE_NAME).write_text('{"model": "x"')
    with pytest.raises(StoreUnavailable, match="mem model use"):
        open_embedded(settings)
    use_own(settings)
    assert read_choice(settings.data_dir) == ModelChoice()


def test_what_is_no_encoder_changes_nothing(settings: EmbeddedSettings, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for wanted, error in ((tmp_path / "empty", Invalid), (tmp_path / "nowhere", NotFound)):
        with pytest.raises(error):
            use(settings, wanted)
    assert read_choice(settings.data_dir) == ModelChoice()


@pytest.mark.parametrize("lengths", [(384,), (384, 384), (5, 7), (6,)])
def test_a_row_compares_each_memory_by_its_own_model(lengths: tuple[int, ...]) -> None:
    layout = VectorLayout({f"m{number}": length for number, length in enumerate(lengths)})
    drawn = np.random.default_rng(7)
    vectors = {model: drawn.standard_normal(length) for model, length in layout.dimensions.items()}
    unit = {model: (one / np.linalg.norm(one)).astype(np.float32) for model, one in vectors.items()}
    question = layout.joined(unit)
    assert layout.width % 4 == 0
    for model, vector in unit.items():
        row = layout.row(model, vector)
        assert row is not None
        assert float(row @ (vector if layout.is_plain else question)) == pytest.approx(1.0, abs=1e-5)
        others = (layout.row(other, unit[other]) for other in unit if other != model)
        assert all(other is not None and float(row @ other) == 0.0 for other in others)
    assert layout.row("unknown", unit["m0"]) is None
    assert layout.row("m0", unit["m0"][:-1]) is None
