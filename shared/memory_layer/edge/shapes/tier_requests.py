"""Tier policy of a project as callers may send it: each class gives its differences from the defaults."""

from dataclasses import fields
from typing import TYPE_CHECKING, Any, get_type_hints

from pydantic import BaseModel, Field, ModelWrapValidatorHandler, ValidationError, model_validator
from pydantic_core import InitErrorDetails, PydanticCustomError

from memory_layer.domain import tier_policy
from memory_layer.edge.shapes.answer_fields import field_words
from memory_layer.edge.shapes.derived_models import incoming_model
from memory_layer.edge.shapes.violation_words import error_message

if TYPE_CHECKING:

    class _PinFields(BaseModel): ...

    class _CompressFields(BaseModel): ...

    class _EvictFields(BaseModel): ...

    class _Match(BaseModel): ...

else:

    def _partial(name: str, of: type, *but: str) -> type[BaseModel]:
        return incoming_model(name, of, tuple(one.name for one in fields(of) if one.name not in but))

    _PinFields = _partial("PinFields", tier_policy.PinRules)
    _CompressFields = _partial("CompressFields", tier_policy.CompressRules)
    _EvictFields = _partial("EvictFields", tier_policy.EvictRules)
    _Match = _partial(
        "MatchFields", tier_policy.TierRules, *(get_type_hints(tier_policy.TierRules).keys() - {"match"})
    )


_WORDS = field_words(tier_policy.TierRules)


class KnownFieldsModel(BaseModel):
    """Model that refuses an unknown field with the names of the known ones."""

    @model_validator(mode="wrap")
    @classmethod
    def name_fields(cls, value: Any, handler: ModelWrapValidatorHandler[Any]) -> Any:
        try:
            return handler(value)
        except ValidationError as error:
            raise ValidationError.from_exception_data(cls.__name__, _with_known_fields(error, cls)) from error


def _with_known_fields(error: ValidationError, model: type[BaseModel]) -> list[InitErrorDetails]:
    names = ", ".join(model.model_fields)
    unknown = PydanticCustomError(
        "unknown_field", "there is no such rule; there are: {names}", {"names": names}
    )
    return [
        InitErrorDetails(
            type=unknown
            if _is_unknown_field(one)
            else PydanticCustomError("rule", "{said}", {"said": error_message(one)}),
            loc=one["loc"],
            input=one["input"],
        )
        for one in error.errors(include_url=False)
    ]


def _is_unknown_field(one: Any) -> bool:
    return one["type"] == "extra_forbidden" and len(one["loc"]) == 1


class PinFields(_PinFields, KnownFieldsModel):
    """Memories that stay hot however seldom they are recalled."""


class CompressFields(_CompressFields, KnownFieldsModel):
    """Contents that leave their row."""


class EvictFields(_EvictFields, KnownFieldsModel):
    """Size that may stay near, and the weights that choose what goes first."""


class TierRulesFields(_Match, KnownFieldsModel):
    """The rules of one class; what is omitted has the class's default."""

    pin: PinFields = Field(default_factory=PinFields, description=_WORDS["pin"])
    compress: CompressFields = Field(default_factory=CompressFields, description=_WORDS["compress"])
    evict: EvictFields = Field(default_factory=EvictFields, description=_WORDS["evict"])


TierPolicyFields = dict[tier_policy.ContentClass, TierRulesFields]


def tier_policy_from(given: TierPolicyFields) -> tier_policy.TierPolicy:
    """Tier policy of the defaults with the given fields."""
    changes = {name: rules.model_dump(exclude_unset=True) for name, rules in given.items()}
    return {
        name: tier_policy.with_overrides(rules, changes.get(name, {}))
        for name, rules in tier_policy.DEFAULT_TIER_POLICY.items()
    }
