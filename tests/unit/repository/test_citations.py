"""Citations of rules, decision records and design documents resolve inside this repository, and so do links."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.given import REPOSITORY

RULES = REPOSITORY / "docs" / "SPEC.md"
SOURCES = REPOSITORY / "docs" / "sources.md"

NO_PROSE = frozenset({".json", ".lock", ".png", ".txt"})
"""Data and locks cite nothing."""

SECTION = re.compile(r"^## (\d+)\. ", re.MULTILINE)
RULE = re.compile(r"^(?:- \*\*|\| )(\d+\.\d+)(?:\*\*| \|)", re.MULTILINE)
CITED_RULES = re.compile(r"\bSPEC(?P<numbers> \d+(?:\.\d+)?(?:(?:, | and | to )\d+(?:\.\d+)?)*|)(?!\w|\.md)")
INNER_REFERENCE = re.compile(r"(?:\(|\bof )(\d+\.\d+)(?=\)|[.;]? |[.;]$)", re.MULTILINE)
CITED_RECORD = re.compile(r"\bADR-(\d{4})\b")
DOCUMENT_TITLE = re.compile(r"^## \d+\. (.+)$", re.MULTILINE)
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]+)(?:#[^)]*)?\)")

NOT_HELD = re.compile(
    r"\b(?:QUALITY|ARCHITECTURE|INTERFACES)\b|\bENGINES\.md|(?<![\w-])S[0124]\b"
    r"|\b(?:first|second|third|fourth|fifth) design document\b|[Ll]oop learning,|[Oo]utcome-ranked engine"
)
"""Names of documents that this repository does not hold, and other names of those that sources.md has titles for."""


def _tracked() -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=REPOSITORY, capture_output=True, check=True, text=True
    ).stdout
    paths = [REPOSITORY / name for name in listed.split("\0") if name and Path(name).suffix not in NO_PROSE]
    return [path for path in paths if path.is_file() and path != Path(__file__).resolve()]


@pytest.fixture(scope="module")
def texts() -> dict[Path, str]:
    """Each file with its lines joined: a citation may be broken by a line's end and a comment's mark."""
    return {path: re.sub(r"\s*\n[ \t]*(?:#:?[ \t]+)?", " ", path.read_text("utf-8")) for path in _tracked()}


def _known_rules() -> set[str]:
    text = RULES.read_text("utf-8")
    return {*SECTION.findall(text), *RULE.findall(text)}


def _numbers(text: str) -> Iterator[str]:
    """Of each citation its numbers; an empty one where there is none."""
    for cited in CITED_RULES.finditer(text):
        yield from re.findall(r"\d+(?:\.\d+)?", cited["numbers"]) or [""]


def _misses(found: dict[Path, list[str]]) -> dict[str, list[str]]:
    return {str(path.relative_to(REPOSITORY)): wrong for path, wrong in found.items() if wrong}


def test_each_rule_has_a_number_of_its_own_in_its_section() -> None:
    section, seen = "", set()
    for line in RULES.read_text("utf-8").splitlines():
        section = found[1] if (found := SECTION.match(line)) else section
        if rule := RULE.match(line):
            assert rule[1].partition(".")[0] == section, line
            assert rule[1] not in seen, line
            seen.add(rule[1])
    assert len(seen) > 100


def test_every_cited_rule_exists(texts: dict[Path, str]) -> None:
    known = _known_rules()
    assert not _misses({path: [n for n in _numbers(text) if n not in known] for path, text in texts.items()})


def test_rules_refer_to_rules_that_exist() -> None:
    known = _known_rules()
    referred = INNER_REFERENCE.findall(RULES.read_text("utf-8"))
    assert referred
    assert [number for number in referred if number not in known] == []


def test_every_cited_decision_record_exists(texts: dict[Path, str]) -> None:
    known = {path.name[:4] for path in (REPOSITORY / "docs" / "adr").glob("*.md")}
    assert known
    assert not _misses(
        {path: [n for n in CITED_RECORD.findall(text) if n not in known] for path, text in texts.items()}
    )


def _parts_by_title() -> dict[str, tuple[str, ...]]:
    """The design documents and, of each, the parts that its table names."""
    _, *named = DOCUMENT_TITLE.split(SOURCES.read_text("utf-8"))
    sections = zip(named[::2], named[1::2], strict=True)
    return {
        title: tuple(re.findall(r"^\| (?!part \|)([^|]+?) \|", text, re.MULTILINE))
        for title, text in sections
    }


def test_every_cited_part_of_a_design_document_stands_in_the_sources(texts: dict[Path, str]) -> None:
    parts = _parts_by_title()
    assert len(parts) == 5
    cited = re.compile(rf"\b({'|'.join(parts)}), (.{{1,60}})")
    assert not _misses(
        {
            path: [found[0] for found in cited.finditer(text) if not found[2].startswith(parts[found[1]])]
            for path, text in texts.items()
        }
    )


def test_nothing_is_cited_that_the_repository_does_not_hold(texts: dict[Path, str]) -> None:
    assert not _misses({path: NOT_HELD.findall(text) for path, text in texts.items()})


def test_every_link_leads_to_a_file() -> None:
    pages = [path for path in _tracked() if path.suffix == ".md" and REPOSITORY / "tests" not in path.parents]
    assert RULES in pages
    broken = {
        path: [link for link in LINK.findall(path.read_text("utf-8")) if not (path.parent / link).exists()]
        for path in pages
    }
    assert not _misses(broken)
