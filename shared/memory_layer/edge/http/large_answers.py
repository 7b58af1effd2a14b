"""Answers over Lambda's size limit: kept as a blob, to which the caller is redirected (SPEC 2.91)."""

import base64
import json
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any, Final

MAX_ANSWER_BYTES: Final = 5_500_000
"""Lambda's own limit is 6 MB for the whole answer as JSON, escapes and all."""

MAX_BYTES_PER_CHARACTER: Final = 6
"""A control character as JSON: \\u0000."""

LINK_LIFETIME: Final = timedelta(minutes=15)

Offload = Callable[[str, bytes], str]
"""Stores the body under the request's id and returns a URL that reads it for `LINK_LIFETIME`."""


def blob_key(request_id: str) -> str:
    """Key of an answer's blob. API Gateway's ids end in `=`, which a key of slugs does not hold."""
    return f"answers/{request_id.rstrip('=')}"


def offloaded_if_large(answer: Mapping[str, Any], request_id: str, offload: Offload) -> Mapping[str, Any]:
    """Returns the answer itself, or 303 See Other with the link to it.

    Args:
        answer: `statusCode`, `headers`, `body`, `isBase64Encoded`, as Lambda returns them.

    Raises:
        Unavailable: the body cannot be kept.
    """
    body = answer.get("body") or ""
    if len(body) * MAX_BYTES_PER_CHARACTER <= MAX_ANSWER_BYTES:
        return answer
    if len(json.dumps(answer, ensure_ascii=False).encode()) <= MAX_ANSWER_BYTES:
        return answer
    raw = base64.b64decode(body) if answer.get("isBase64Encoded") else body.encode()
    url = offload(request_id, raw)
    link = {"location": url, "bytes": len(raw), "expires_in_s": int(LINK_LIFETIME.total_seconds())}
    headers = {"content-type": "application/json", "location": url, "cache-control": "no-store"}
    return {"statusCode": 303, "headers": headers, "body": json.dumps(link), "isBase64Encoded": False}
