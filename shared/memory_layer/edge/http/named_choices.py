"""Names of the choices in openapi.json: a list of values that stands in many places is a component, declared once."""

from collections.abc import Mapping
from typing import Any, Final, get_args

from memory_layer.domain import memory, policy, tier_policy
from memory_layer.domain.change_types import ChangeType
from memory_layer.domain.conflicts.pair import PairKind
from memory_layer.domain.context.fragments import Layer
from memory_layer.domain.learning.run import RunMode, RunStatus
from memory_layer.domain.learning.staging import StagedStatus
from memory_layer.domain.time.entity_events import EntityEventKind
from memory_layer.edge.http.document_models import objects
from memory_layer.edge.shapes.store_bodies import View
from memory_layer.usecases.files.file_versions import Operation
from memory_layer.usecases.review.resolve_pair import Decision as PairDecision
from memory_layer.usecases.review.review_groups import GroupAct, GroupKind, ItemAct
from memory_layer.usecases.write.prepare import OnDuplicate

CHOICES: Final[Mapping[str, tuple[Any, str]]] = {
    "MemoryType": (memory.MemoryType, "How a memory is used."),
    "Category": (memory.Category, "What a memory is about."),
    "Dimension": (memory.Dimension, "What kind of knowledge it is."),
    "TaskType": (memory.TaskType, "The kind of task that it helps with."),
    "MemorySource": (memory.Source, "Who a memory comes from: a person, a run, or what runs taught."),
    "MemoryStatus": (memory.Status, "State of a memory: active ones are recalled."),
    "Tier": (memory.Tier, "Where a memory lies: hot and warm are recalled, cold is listed."),
    "OutcomeResult": (memory.OutcomeResult, "Whether it worked."),
    "Standing": (memory.Standing, "Said by a person or approved by a reviewer, or not."),
    "RankingProfile": (policy.Profile, "How what fits is ranked."),
    "PrivacyMode": (policy.PrivacyMode, "What is taken out of texts before they are stored."),
    "BlendMode": (policy.BlendMode, "How similarities are blended."),
    "OutcomeModel": (policy.OutcomeModel, "How verdicts move the score of a memory."),
    "ChangeType": (ChangeType, "What changed."),
    "ContentClass": (tier_policy.ContentClass, "Class of content, each with rules of its own."),
    "EntityEventKind": (EntityEventKind, "What happened to an entity."),
    "SourceLayer": (Layer, "Source of a context's fragments."),
    "OnDuplicate": (OnDuplicate, "What to do where one says the same."),
    "PairKind": (PairKind, "Why two memories are a pair."),
    "PairDecision": (PairDecision, "What becomes of a pair."),
    "ReviewDecision": (ItemAct, "What becomes of what waits."),
    "GroupDecision": (GroupAct, "What becomes of a group of what waits."),
    "GroupKind": (GroupKind, "Why the memories of a group wait for a person."),
    "FileView": (View, "Whether texts are shown."),
    "FileOperation": (Operation, "How a version of a file came about."),
    "RunMode": (RunMode, "When what a run teaches becomes a memory: at once, or after a look."),
    "RunStatus": (RunStatus, "How a run or an iteration ended."),
    "StagedStatus": (StagedStatus, "How far a staged learning has come."),
}
"""Component, its values, and the words about it."""

_REFERENCE = "#/components/schemas/{name}"


def name_choices(document: dict[str, Any]) -> None:
    """Puts each choice that has a name among the components, and refers to it wherever its values stand."""
    names = {get_args(values): name for name, (values, _) in CHOICES.items()}
    for schema in objects(document):
        values = schema.get("enum")
        if isinstance(values, list) and (name := names.get(tuple(values))):
            schema.pop("type", None)
            del schema["enum"]
            schema["$ref"] = _REFERENCE.format(name=name)
    document["components"]["schemas"] |= {name: _component(name) for name in CHOICES}


def _component(name: str) -> dict[str, Any]:
    values, words = CHOICES[name]
    return {"type": "string", "enum": list(get_args(values)), "description": words}
