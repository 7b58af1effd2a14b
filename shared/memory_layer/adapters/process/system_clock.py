"""Clock and ids of the machine."""

from datetime import UTC, datetime

import uuid_utils


class SystemClock:
    """Clock of the machine, in UTC."""

    def now(self) -> datetime:
        return datetime.now(UTC)


def new_id(prefix: str) -> str:
    """Id of a prefix and a UUIDv7 in hex: ids of one process sort by the time they were made."""
    return f"{prefix}{uuid_utils.uuid7().hex}"
