"""What texts speak of, told by rule; and that no text takes longer than its length."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memory_layer.domain.retrieval.mentions import entity_label, key_of, keys_of_name, said_keys
from memory_layer.domain.text import urns
from memory_layer.domain.text.entity_extraction import MENTIONS_MAX, mentions_in, name_words_of, subject_of
from memory_layer.domain.text.urns import (
    CANDIDATES_MAX,
    DEPTH_MAX,
    URNS_MAX,
    VALUES_MAX,
    urns_in,
    urns_in_text,
)
from tests.fuzzing import examples


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("We met Amy Ellis Nutt in Paris.", {"n:amy ellis nutt", "n:paris"}),
        ("Orders are never deleted.", set()),
        ("The Hobbit is great. Everyone reads it.", {"n:hobbit"}),
        ("Yesterday it rained. Today it does not.", set()),
        ("On Monday, in June, I'm off.", set()),
        ("Caroline: Hey Mel! I'm ok.", {"n:caroline", "n:mel"}),
        ("Note: ask Bob.", {"n:bob"}),
        ("They loved Lord of the Rings and Mel's dog.", {"n:lord of the rings", "n:mel"}),
        ("Congrats Caroline!", {"n:congrats caroline", "n:caroline"}),
        ("See src/app/views.py and ~/notes and/or either/both.", {"p:src/app/views.py", "p:~/notes"}),
        (
            "Set max_connections, not fooBar, nor HTTPServer.",
            {"i:max_connections", "i:foobar", "n:httpserver"},
        ),
        ("Fixed by PROJ-123 after CVE-2024-3094 and E1234.", {"i:proj-123", "i:cve-2024-3094", "i:e1234"}),
        (
            "Released 2023-05-08, again May 9, 2023 and 10 May 2023.",
            {"d:2023-05-08", "d:2023-05-09", "d:2023-05-10"},
        ),
        ("In 2023-13-45 nothing happened.", set()),
        ("It is urn:table:orders, see (urn:x:y).", {"u:urn:table:orders", "u:urn:x:y"}),
        ("EVERYTHING IS ON FIRE TODAY AND TOMORROW", set()),
        ("Ünal traf Łukasz in Zürich.", {"n:łukasz", "n:zürich"}),
        ("我们在巴黎见面。", set()),
        ("", set()),
    ],
)
def test_what_a_text_speaks_of(text: str, forms: set[str]) -> None:
    assert set(said_keys(text)) == forms


def test_every_process_finds_things_in_the_same_order() -> None:
    """A recall looks up the first of them: in the order of a set, these 16 would come in another one each time."""
    names = ["Ada", "Bob", "Carl", "Dora", "Emil", "Fay", "Gus", "Hal"]
    text = " ".join(f"Congrats {name}!" for name in names)
    forms = [form for name in names for form in (f"congrats {name.lower()}", name.lower())]
    assert [mention.form for mention in mentions_in(text)] == forms


def test_a_place_is_a_name_after_its_preposition() -> None:
    kinds = {mention.form: mention.kind for mention in mentions_in("We flew from Oslo with Ada to Rome.")}
    assert kinds == {"oslo": "place", "ada": "name", "rome": "place"}
    assert {key_of(mention)[0] for mention in mentions_in("We flew from Oslo with Ada.")} == {"n"}


def test_a_list_of_names_is_bounded() -> None:
    text = "met " + " and ".join(f"Ada{chr(98 + n % 20)}{'x' * (n // 20)}" for n in range(500))
    assert len(mentions_in(text)) == MENTIONS_MAX


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("Melanie: we went camping", "melanie"),
        ("Amy Ellis Nutt: hello", "amy ellis nutt"),
        ("user: hi", "user"),
        ("there is no subject: at all", None),
        ("https://x.y: z", None),
        ("12:30 we met", None),
        ("Melanie:no blank", None),
    ],
)
def test_whose_words_they_are(text: str, subject: str | None) -> None:
    assert subject_of(text) == subject


def test_names_are_compared_without_their_possessive() -> None:
    assert name_words_of("What is Melanie's dog called?") >= {"melanie", "dog"}


def test_an_entity_may_be_asked_for_as_a_graph_shows_it() -> None:
    for key in (
        "n:amy nutt",
        "p:src/app.py",
        "d:2023-05-08",
        "i:max_connections",
        "u:urn:table:orders",
        "u:mem_1",
    ):
        assert key in keys_of_name(entity_label(key))
    assert keys_of_name("urn:x:y") == ("u:urn:x:y",)


@pytest.mark.parametrize(
    ("text", "urns"),
    [
        ("urn:a:b", ["urn:a:b"]),
        ("URN:A:b", ["urn:A:b"]),
        ("See urn:a:b. And (urn:c:d), urn:e:f!", ["urn:a:b", "urn:c:d", "urn:e:f"]),
        (
            "(urn:li:dataset:(urn:li:dataPlatform:hive,db.t,PROD))",
            ["urn:li:dataset:(urn:li:dataPlatform:hive,db.t,PROD)"],
        ),
        ('{"u": "urn:a:b\\"}', ["urn:a:b"]),
        ("urn:a: urn::b urn:a urn: x.urn:a:b-no", []),
        (f"urn:a:{'x' * 300} urn:a:b", ["urn:a:b"]),
        ("urn:file:src/größe.py", ["urn:file:src/größe.py"]),
        ("urn:a:b\ud800c urn:c:\udfff", ["urn:a:b"]),
    ],
)
def test_urns_of_a_text(text: str, urns: list[str]) -> None:
    assert list(urns_in_text(text)) == urns


def test_urns_of_any_json_in_one_pass_each_once() -> None:
    payload = {"urn:in:key": [1, None, True, {"a": "of urn:in:text."}, ["urn:in:key", 2.5]], "b": "urn:x:y"}
    assert urns_in(payload) == (("urn:in:key", "urn:in:text", "urn:x:y"), True)
    assert urns_in("plain urn:x:y") == (("urn:x:y",), True)
    assert urns_in(None) == ((), True)


def test_what_is_beyond_the_bounds_is_not_looked_at_and_told() -> None:
    deep: object = "urn:x:deep"
    for _ in range(100_000):
        deep = [deep]
    assert urns_in(["urn:x:y", deep]) == (("urn:x:y",), False)
    within: object = "urn:x:y"
    for _ in range(DEPTH_MAX):
        within = [within]
    assert urns_in(within) == (("urn:x:y",), True)
    assert urns_in(["urn:x:first", *([0] * VALUES_MAX), "urn:x:last"]) == (("urn:x:first",), False)
    many = urns_in([f"urn:x:{number}" for number in range(200)])
    assert (len(many.urns), many.is_whole) == (URNS_MAX, False)


def test_what_is_said_again_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Falls without `seen`: four megabytes of one URN take a second."""
    looked_at: list[str] = []
    real = urns._urn_of
    monkeypatch.setattr(urns, "_urn_of", lambda candidate: looked_at.append(candidate) or real(candidate))
    again = [*(["urn:x:y urn:x:y"] * 10_000), "urn:x:last"]
    assert urns_in(again) == (("urn:x:y", "urn:x:last"), True)
    assert looked_at == ["urn:x:y", "urn:x:last"]


def test_what_only_looks_like_urns_is_looked_at_for_a_while() -> None:
    """Falls without CANDIDATES_MAX: what comes to no URN never fills URNS_MAX."""
    none = [f"urn:a{number}:." for number in range(CANDIDATES_MAX)]
    assert urns_in([*none[1:], "urn:x:last"]) == (("urn:x:last",), True)
    assert urns_in([*none, "urn:x:last"]) == ((), False)


HOSTILE = ("urn:", "urn:a:", "(", "a/", "A ", "Aa ", "a_", "aB", "1-", ": ", ". A", "~/", "x.", "Ab-", "'s ")


@settings(max_examples=examples(30))
@given(st.lists(st.sampled_from(HOSTILE), min_size=1, max_size=3))
def test_no_text_keeps_the_patterns_busy(parts: list[str]) -> None:
    """A pattern that goes back over what it has read would be at this for hours: then the test never ends."""
    text = "".join(parts) * 40_000
    assert all(urn.startswith("urn:") for urn in urns_in(text).urns)
    assert len(mentions_in(text[:60_000])) <= MENTIONS_MAX
