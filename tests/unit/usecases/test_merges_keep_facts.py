"""After a merge every number, flag and name of both texts is still there, or the merge did not take place."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from memory_layer.domain.duplicates import merge_duplicates
from memory_layer.domain.memory import Scope
from memory_layer.usecases.write.near_verdicts import judge_near
from tests.given import START, a_memory

NUMBERS = st.sampled_from(["2", "3", "30", "02:00", "1.4.2"])
NAMES = st.sampled_from(["Alice", "Redis", "`load_all`", "src/app/main.py", "--force", "lib/app/main.py"])
ENDS = st.sampled_from(["", " It ends at 05:15.", " Ask Bob first.", " Please note that this is so.", "!"])
FACT = re.compile(r"\d[\d.:]*\d|\d|--\w+|\w+/[\w./]+\w|\w+_\w+|(?<=[a-z] )[A-Z]\w+")


@st.composite
def sentences(draw: st.DrawFn) -> str:
    return f"The job of {draw(NAMES)} runs with {draw(NAMES)} and {draw(NUMBERS)} workers.{draw(ENDS)}"


@settings(max_examples=300, deadline=None)
@given(sentences(), sentences())
def test_a_merge_loses_no_fact(known: str, new: str) -> None:
    """Falls where the longer text stands for both, or a path is known by its last part."""
    scope = Scope("acme", "web")
    first, second = a_memory(scope, "a", content=known), a_memory(scope, "b", content=new)
    twin = judge_near(second, first, 0.95)
    if not (twin.is_same or twin.is_covered) or twin.says_otherwise is not None:
        return
    wording = None if twin.is_same and twin.is_covered else first if twin.is_same else second
    kept = merge_duplicates(first, second, START, wording).content
    assert set(FACT.findall(known)) | set(FACT.findall(new)) <= set(FACT.findall(kept))
