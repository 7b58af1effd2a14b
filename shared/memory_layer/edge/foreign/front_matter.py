"""Front matter of a Markdown file: what a site generator or an agent's rule file says of the page itself."""

import re
from typing import Final

_TITLE: Final = re.compile(
    r"^(?P<key>title|name)[ \t]*[:=][ \t]*(?P<value>\S.*?)[ \t]*$", re.MULTILINE | re.IGNORECASE
)
_SINGLE_QUOTED: Final = re.compile(r"'(.*)'|\"(.*)\"", re.DOTALL)
_NO_TEXT: Final = frozenset("|>[{&*!")


def title_in(front_matter: str) -> str:
    """Title that a front matter gives its page, of YAML or TOML: its `title`, else its `name`; empty: it gives none."""
    found = {match["key"].lower(): match["value"] for match in reversed(list(_TITLE.finditer(front_matter)))}
    value = found.get("title", found.get("name", ""))
    if value[:1] in _NO_TEXT:
        return ""
    quoted = _SINGLE_QUOTED.fullmatch(value)
    return value if quoted is None else (quoted[1] or quoted[2] or "")
