"""Lines of a file as plain Markdown, and the containers of its documentation system in which they stand."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(eq=False, slots=True)
class Container:
    """Admonition or tab.

    Args:
        first: line of its mark, from 0.
        title: its title, else its kind where that tells something; empty: neither.
        words_at: line of its first words; None: it has none so far.
        is_whole: False: the mark that closes it is missing, so that it is none.
    """

    first: int
    title: str
    parent: Container | None = None
    words_at: int | None = None
    is_whole: bool = True


@dataclass(slots=True)
class PlainMarkdown:
    """Lines of a file without the marks of its containers, as many as it has.

    Args:
        marks: lines, from 0, on which a mark stood, with the reason for which its words are left out unless those of
            its container say them; None: it has no others.
        inside: the innermost container of each line.
    """

    lines: list[str] = field(default_factory=list)
    marks: dict[int, str | None] = field(default_factory=dict)
    inside: list[Container | None] = field(default_factory=list)

    def over(self, line: int, since: int = 0) -> list[Container]:
        """Containers of a line from the outermost. Args: since: line from which on they begin."""
        found, container = list[Container](), self.inside[line]
        while container is not None and container.first >= since:
            found += [container] if container.is_whole else []
            container = container.parent
        return found[::-1]

    def begun_at(self, line: int, since: int = 0) -> list[Container]:
        """Containers whose first words stand on a line, from the outermost."""
        return [container for container in self.over(line, since) if container.words_at == line]

    def labelled(self, line: int, text: str, since: int, *, is_paragraph: bool) -> str:
        """Text of the block that begins on a line, behind the titles of the containers that it begins."""
        titles = [one.title.replace("**", "").rstrip(":") for one in self.begun_at(line, since) if one.title]
        between = " " if is_paragraph else "\n"
        if not titles or not text:
            return text
        label = ": ".join(titles)
        return f"**{label}{'' if label.endswith('?') else ':'}**{between}{text}"
