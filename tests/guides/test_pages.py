"""What README.md and the guides print is what the product prints; what they name is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.given import REPOSITORY
from tests.guides.mentions import (
    anchors_of,
    code_of,
    links_of,
    make_targets,
    mem_commands,
    missing_words,
    operations_named,
    targets_of,
)
from tests.guides.pages import PAGES, README, blocks_of, steps_of
from tests.guides.reader import Reader

LINES_OF_README = 150
LINES_OF_GUIDE = 140
WIDTH = 140
RAN_IN = ("console", "mcp", "pycon")

named = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


@named
def test_what_a_page_prints_is_what_the_product_prints(page: Path, reader: Reader) -> None:
    """Falls where a guide's output drifts from the product's, in whatever is not left out by `…`."""
    drifts = [told for block in blocks_of(page.read_text("utf-8")) for told in reader.follow(block)]
    assert not drifts, "\n\n".join([str(page), *drifts])


@named
def test_a_page_shows_no_output_that_nobody_runs(page: Path) -> None:
    for block in blocks_of(page.read_text("utf-8")):
        assert block.language not in RAN_IN or list(steps_of(block)), f"{page}:{block.line} has no command"
        if block.language not in RAN_IN:
            assert not re.search(r"^\$ ", block.text, re.MULTILINE), f"{page}:{block.line} is run by no test"


@named
def test_a_page_is_short(page: Path) -> None:
    lines = page.read_text("utf-8").splitlines()
    assert len(lines) <= (LINES_OF_README if page == README else LINES_OF_GUIDE)
    assert [line for line in lines if len(line) > WIDTH] == []


@named
def test_links_lead_somewhere(page: Path) -> None:
    for link in links_of(page.read_text("utf-8")):
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{page} links to {link}"
        assert not anchor or anchor in anchors_of(target.read_text("utf-8")), f"{page} links to {link}"


@named
def test_the_commands_that_a_page_names_exist(page: Path) -> None:
    code = code_of(page.read_text("utf-8"))
    assert targets_of(code) <= make_targets(REPOSITORY)
    assert [words for words in mem_commands(code) if missing_words(words)] == []


@named
def test_the_operations_that_a_page_names_exist(page: Path) -> None:
    served = operations_named(REPOSITORY)
    for method, path in re.findall(r"`(GET|POST|PUT|PATCH|DELETE) (/[^`?]*)[^`]*`", page.read_text("utf-8")):
        assert {f"{method} {path}", f"{method} /v1/projects/{{project}}{path}"} & served, f"{method} {path}"


def test_the_places_that_readme_shows_exist() -> None:
    shown = README.read_text("utf-8").split("## Where to look\n")[1].split("```")[1]
    places = [place for line in shown.strip().splitlines() for place in line.split("  ")[0].split()]
    assert len(places) >= 8
    assert [place for place in places if not (REPOSITORY / place).exists()] == []


def test_readme_leads_to_every_guide() -> None:
    roles = {"hosted-agent", "client", "coding-agent", "orchestrator", "reviewer", "operator"} | {
        "arrive-and-leave",
        "command-line",
        "connect",
        "console",
        "deployer",
        "deployment-options",
        "events",
        "events-in",
        "encoders",
        "frameworks",
        "training-data",
    }
    linked = {Path(link).stem for link in links_of(README.read_text("utf-8")) if "guides/" in link}
    assert linked == roles == {page.stem for page in PAGES if page.parent.name == "guides"}
