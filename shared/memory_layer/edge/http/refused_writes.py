"""Entry of refused writes in the audit log."""

import re
from collections.abc import Mapping
from typing import Any, Final

from memory_layer.edge.http.memory_spans import request_traceparent
from memory_layer.edge.http.principals import USER_HEADER, speaking_for
from memory_layer.errors import MemoryLayerError
from memory_layer.usecases.ground.audit_log import note_refusal
from memory_layer.usecases.ground.signed_ports import signed_ports

NOTED_STATUSES: Final = (403, 409, 429)
_PATH: Final = re.compile(r"/v1/projects/([^/]+)/(.+)")
_OF_A_MEMORY: Final = re.compile(r"memories/([^/:]+)(/.*)?")


def note_refused_write(
    context: Mapping[str, Any], event: Any, request_id: str, found: Mapping[str, Any]
) -> None:
    """Enters a refusal of a write to a project. Args: context: of the resolver; found: the problem, as answered."""
    where = _PATH.fullmatch(str(event.path))
    if where is None or event.http_method == "GET" or found["status"] not in NOTED_STATUSES:
        return
    project, asked = where.groups()
    of_one = _OF_A_MEMORY.fullmatch(asked)
    about, asked = (of_one[1], f"memories/ID{of_one[2] or ''}") if of_one else (None, asked)
    try:
        principal = speaking_for(context["authenticate"](event), event.headers.get(USER_HEADER))
    except MemoryLayerError:  # it was refused because of who asked: nobody is known
        return
    ports = signed_ports(context["ports"], principal, request_id, request_traceparent(event.headers))
    why = f"{found['status']} {found['type'].rpartition(':')[2]}"
    note_refusal(ports, principal, project, f"{event.http_method} {asked}: {why}", about)
