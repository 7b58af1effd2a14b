"""JSON that carries a digest of itself, for settings that are in force unseen."""

import json
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, Final

DIGEST: Final = "digest"


class DamagedText(ValueError):
    """A text is not what `sealed_text` wrote."""


def sealed_text(document: Mapping[str, object]) -> str:
    """Args: document: of what JSON can say, without a field `digest`."""
    return json.dumps({**document, DIGEST: _digest(document)})


def unsealed_text(text: str) -> dict[str, Any]:
    """The document of a text; one from before digests is taken at its word.

    Raises:
        DamagedText
    """
    try:
        document = json.loads(text)
        digest = document.pop(DIGEST, None)
    except (ValueError, TypeError, AttributeError, RecursionError) as error:
        raise DamagedText(str(error)) from error
    if digest not in (None, _digest(document)):
        raise DamagedText("they do not say any more what was written")
    return document  # type: ignore[no-any-return]


def _digest(document: Mapping[str, object]) -> str:
    return sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()
