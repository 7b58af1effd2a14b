"""What stands over the blocks of a Markdown file: its headings, and the titles of its admonitions and tabs."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from memory_layer.edge.foreign.plain_markdown import Container
from memory_layer.edge.foreign.text_blocks import Block
from memory_layer.edge.foreign.titles import title_of


@dataclass(eq=False)
class Title:
    """Heading, or what leads into a list. Args: first: number of the first block under it; end: behind the last."""

    lines: range
    text: str
    first: int
    end: int = 0


@dataclass(eq=False)
class HeadingsOver:
    """Headings over the current block of a file. Args: blocks: those read so far, which the reader adds to."""

    blocks: Sequence[Block]
    titles: list[Title] = field(default_factory=list)
    _over: list[tuple[int, Title]] = field(default_factory=list)
    _open: list[tuple[Container, list[tuple[int, Title]]]] = field(default_factory=list)
    """Containers around the current block, each with the headings that stood over it."""

    @property
    def nearest(self) -> Title | None:
        return self._over[-1][1] if self._over else None

    def above(self, but: int = 0) -> tuple[str, ...]:
        """Headings from the outermost. Args: but: so many of the nearest are left out."""
        return tuple(title.text for _, title in self._over[: len(self._over) - but] if title.text)

    def entitle(self, title: str) -> None:
        """Begins with a title that stands over the file, and in none of its blocks; empty: there is none."""
        self._over = [(0, Title(range(0), title_of(title), 0))] if title else []

    def begin(self, lines: range, text: str) -> Title:
        title = Title(lines, text, len(self.blocks))
        self.titles.append(title)
        return title

    def end(self, *titles: Title) -> None:
        for title in titles:
            title.end = len(self.blocks)

    def enter(self, lines: range, text: str, level: int) -> None:
        self.leave(level)
        self._over.append((level, self.begin(lines, text)))

    def under(self, title: Title) -> Sequence[Block]:
        return self.blocks[title.first : title.end]

    def leave(self, level: int = 0) -> None:
        """Ends the headings of a level and all below it."""
        self.end(*(title for depth, title in self._over if depth >= level))
        self._over = [above for above in self._over if above[0] < level]

    def go_into(self, containers: Sequence[Container]) -> None:
        """Ends the containers that are over, with the headings within them, and begins others: their titles stand
        over what is in them as headings do."""
        while self._open and self._open[-1][0] not in containers:
            _, outside = self._open.pop()
            self.end(*(title for _, title in self._over if title not in [one for _, one in outside]))
            self._over = outside
        for container in containers[len(self._open) :]:
            self._open.append((container, self._over))
            mark = range(container.first, container.first + 1)
            self._over = [*self._over, (0, self.begin(mark, title_of(container.title)))]
