"""Change of some of a project's settings, as a merge patch of them."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel, Field, ValidationError, create_model

from memory_layer.domain.merge_patch import merged
from memory_layer.domain.policy import ModelName, Policy, PriorityWeights, Saying
from memory_layer.domain.tier_policy import ContentClass
from memory_layer.edge.shapes.answers import policy_json
from memory_layer.edge.shapes.derived_models import REFUSE_UNKNOWN
from memory_layer.edge.shapes.problems import violations_of
from memory_layer.edge.shapes.requests import Settings, replaced_policy
from memory_layer.errors import Invalid

_NULLABLE: Final = ("default_expiry_days",)
"""Settings in which null is a value: memories of that type never end."""


def _patch_model() -> type[BaseModel]:
    """Model of a patch: each setting may be null. The settings that it makes are checked as a whole."""
    given: dict[str, Any] = {
        name: (_or_null(_PARTS.get(name, field.annotation)), Field(None, description=field.description))
        for name, field in Settings.model_fields.items()
    }
    return create_model("SettingsPatch", __config__=REFUSE_UNKNOWN, __doc__=_DOC, **given)


def _or_null(hint: Any) -> Any:
    return hint | None


_PARTS: Final[dict[str, Any]] = {
    "synonyms": dict[Saying, list[Saying] | None],
    "token_prices": dict[ModelName, float | None],
    "context_weights": dict[ContentClass, PriorityWeights | None],
}
"""Settings of which a patch takes single members away."""

_DOC: Final = """Some of a project's settings (RFC 7396): what is omitted stays, null goes back to its default.

    Of `synonyms`, `token_prices` and `context_weights` null takes one member away; in `default_expiry_days` it means
    never.
    """

if TYPE_CHECKING:

    class SettingsPatch(BaseModel): ...

else:
    SettingsPatch = _patch_model()


def patched_policy(before: Policy, patch: Mapping[str, Any]) -> Policy:
    """Settings with what a patch changes. Args: patch: a JSON object.

    Raises:
        Invalid: together they are no settings.
    """
    document = json.loads(json.dumps(policy_json(before)))
    del document["version"]
    try:
        return replaced_policy(before, Settings.model_validate(merged(document, patch, _NULLABLE)))
    except ValidationError as error:
        items = ({**item, "loc": ("body", *item["loc"])} for item in error.errors())
        raise Invalid.each(violations_of(items), whole="the settings") from error
