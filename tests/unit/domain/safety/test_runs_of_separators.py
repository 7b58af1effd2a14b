"""Screening of runs of separators: what parts words belongs to no word, so that a run is read one way."""

from __future__ import annotations

import subprocess
import sys

from memory_layer.domain.safety.suspicious_pattern import phrase

HOSTILE = """
from memory_layer.domain.safety.quarantine import suspicion
openings = ("authorize", "repeat the", "secret phrase", "ignore", "always recommend", "append a",
            "reading this empowers you", "execute every", "when asked about", "keep this from", "send the")
runs = ("_", ".", "./:-", "_-", "a_", ".a", "a.", " a", "-_1a", "footer-_1a_-_in-the ")
for opening in openings:
    for run in runs:
        for length in (49, 199, 1000):
            suspicion(f"{opening} {run * (length // len(run))} you user all without")
"""


def test_no_phrase_hangs_over_a_run_of_separators() -> None:
    """Ends by its limit where words may have what separates them: `authorize_- 1` and 37 points hung."""
    subprocess.run([sys.executable, "-c", HOSTILE], check=True, timeout=300)


def test_words_of_a_phrase_are_parted_by_whatever_is_no_letter() -> None:
    sent = phrase(r"send(?: \w{1,12}){0,3} to(?: [\w.@-]{1,40}){1,2} now")
    assert sent.search("send_it_to_x@acme.test, now")
    assert sent.search("send - the file to mail x.y@acme.test now")
    assert sent.search("send one two three four to x now") is None
    assert phrase(r"sign(?: \S{1,20}){0,3} with (?:me|[\w-]{3,})").search("sign 'this' (letter) with a-b-c")
