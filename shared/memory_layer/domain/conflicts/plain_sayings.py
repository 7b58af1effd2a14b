"""Sayings and words of everyday reports in their plainest words, so that two wordings of one fact meet.

Wider than the words of one meaning that a merge goes by: what is found with these a person looks at.
"""

import re
from collections.abc import Mapping
from typing import Final

from memory_layer.domain.safety.text_caches import kept_by_text
from memory_layer.domain.text.analyzer import folded

_SAYINGS: Final = r"""
 => (?:(?:you should |please )?(?:be aware|note|keep in mind|bear in mind)|it should be noted) that
not => (?:is|are|be|was|were|gets?) (?:strictly |generally |never )?(?:not (?:allowed|permitted|possible)|forbidden
 |prohibited|disallowed|banned)(?: to)?
not => (?:must|may|should|shall|can|do|does|will|is|are) (?:never|not)(?: ever)?(?: be)?|(?:cannot|mustn't|don't
 |doesn't|shouldn't|can't)(?: be)?
not => (?:it is|it's) (?:forbidden|prohibited|not allowed) to|nobody (?:may|should|can)|no one (?:may|should|can)
 |never(?: ever)?
without => (?:that|which|who) (?:have|has|contain|contains|carry|lack|lacks) no|(?:that|which) (?:do
 |does) not (?:have|contain|carry)(?: an?)?
without => (?:having|with|has|have) no|lacking|free of|in the absence of|that (?:lack|lacks)|missing (?:an?|the)
has => (?:has|have|had) (?:got )?(?=an? )|comes? with|offers?|exposes?|provides?
be => (?:must|should|has to|have to|needs? to|is to|are to|ought to) (?:always )?be|gets? (?=\w+ed\b)
 => (?:it is|it's) (?:required|necessary|essential|mandatory|recommended|best|possible) (?:to|that)
 |is (?:required|mandatory|obligatory|compulsory) for|(?:must|should|has to|have to|needs? to|is required to
 |are required to|is supposed to) (?=\w)
after => once|as soon as|when (?=\w+(?: \w+){0,3} (?:is|are|has been|was) (?:done|over|finished|completed?))
 |following|upon
before => prior to|ahead of|in advance of|until after
when => in case(?: of)?|whenever|if|whether(?: or not)?|as long as|provided(?: that)?
 |in the event of|every time|each time
every => each and every|each|every single|all of the|all
night => nightly|overnight|at night
day => daily|every day
week => weekly|once a week|every seven days|seven days|7 days
month => monthly
hour => hourly
about => around|roughly|approximately|circa|some (?=\d)|nearly|almost|close to
over => (?:for )?(?:longer|more) than|above|more than|larger than|bigger than|greater than|exceeding|in excess of
 |beyond|older than
under => below|less than|smaller than|fewer than|lower than
through => by means of|with the help of|by way of|via|using
in => inside(?: of)?|within|into
 => from scratch|all over again|completely new|from the ground up
plaintext => (?:in )?(?:plain|clear)[- ]?text|unencrypted|unhashed
abort => gives? up(?: on)?|given up|gave up|bails? out|times? out|timed out|timeout
2fa => (?:two|2)[- ]factor(?: authentication)?|(?:second|2nd) factor|mfa|multi-factor authentication
pr => pull[- ]requests?|merge[- ]requests?|mrs?|prs
email => e-mail(?:ed|s)?(?: to)?(?! address)|emailed(?: to)?|emails?(?: address(?:es)?)?
 |e-mails?(?: address(?:es)?)?|mail address(?:es)?|email address(?:es)?
directly => straight|immediately|right away|at once|without delay
together => at the same time|side by side|in parallel|simultaneously|concurrently
 => you (?:can |will |may )?find(?: that)?|(?:is|are|can be) found|(?:is|are) located|there (?:is|are)
pause => (?:put|puts|is put|are put|keep|kept) on hold
2 times => twice|two times
because => since(?! \d)|as a result of|due to|owing to|on account of|for the reason that
only => solely|exclusively|nothing but|no other than|just
"""

_WORDS: Final = """
ignore: skip skips skipped skipping ignores ignored ignoring omit omits omitted disregard disregards
use: uses used using utilize utilizes employ employs rely relies leverage leverages
keep: live lives located lie lies sit sits reside resides stored store stores kept keeps save saved saves hold
 holds put
send: pass passes passed hand hands handed forward forwards forwarded deliver delivered delivers go goes sent sends
 route routes routed
take: pick picks picked fetch fetches fetched pull pulls pulled grab grabs collect collects consume consumes taken
 takes
remove: empty emptied empties delete deleted deletes clear cleared clears wipe wiped wipes flush flushed flushes
 drop dropped
 drops discard discarded discards erase erased purge purged removed removes cleaned cleans
resize: shrink shrinks shrunk scale scaled scales resized downsized
check: verify verified verifies validate validated validates review reviewed reviews inspect inspected approve
 approved approves
 examine examined checked checks checker approval audit audited sign-off
refuse: reject rejects rejected refuses refused deny denies denied decline declined block blocks blocked
allow: grant grants granted permit permits permitted let lets give given gives able authorize authorized get gets
person: people persons human humans someone somebody
staff: employee employees
developer: developers engineer engineers devs
colleague: colleagues teammate teammates
renew: refresh refreshes refreshed renews renewed rotate rotated rotates
pause: pauses paused suspend suspended suspends
new: fresh newly recent newest latest
picture: image images photo photos pictures
begin: start starts started begins begun launch launches launched kicked triggered trigger triggers fire fires
 fired boot
 run runs ran running execute executes executed execution happen happens happened occurs occur place
stop: kill kills killed stopped stops halt halts halted end ends ended quit quits terminate terminated abort aborted
finish: finished finishes complete completed completes done ready
make: create creates created generate generated generates build builds built produce produced produces made makes
 render rendered renders
 rebuild rebuilt rebuilds regenerate regenerated recreate recreated emit publish published publishes issue issued
change: modify modified modifies edit edited edits alter altered update updated updates changed changes changing
 adjust adjusted
ask: request requests requested asked asks consult consulted
tell: inform informed notify notified notifies alert alerted warn warned reported told
answer: reply replies replied respond responds responded response
need: require requires required needs needed demand demands take takes
large: big huge bigger larger
small: little tiny smaller
fast: quick quickly rapid speedy
fail: break breaks broken crash crashes crashed fails failed
wait: waits waiting
limit: limited limits cap capped caps maximum max restrict restricted
exceed: exceeds exceeded surpass
cancel: cancels cancelled canceled cancellation revoke revoked invalidate invalidated invalidates
copy: copies copied duplicate duplicated mirror mirrored replicate replicated
move: moved moves migrate migrated migrates transfer transferred shift shifted
merge: merged merges combine combined join joined unite united
split: splits divide divided separate separated
connect: connects connected talk talks talked speak speaks communicate communicates attach attached reach reaches
own: owns owned owner owners responsible belongs belong maintains maintained
order: priority sequence
enter: access get into login log-in
repo: repository repositories codebase
config: configuration settings setting
docs: documentation
money: euros euro eur
whole: entire complete
"""


@kept_by_text(1_024)
def said_plainly(text: str) -> str:
    """Text with sayings and words of everyday reports replaced by their plainest ones; names stay as they are."""
    plain = _OPENING.sub(lambda match: match[0].lower(), folded(text))
    for meant, saying in _READ_SAYINGS:
        plain = saying.sub(meant, plain)
    return _WORD.sub(lambda match: _PLAIN.get(match[0], match[0]), plain)


_OPENING: Final = re.compile(r"(?:^|(?<=[.!?] ))[A-Z](?=[a-z]*\b)")
"""First letter of a sentence: any other capital marks a name."""

_WORD: Final = re.compile(r"(?<![\w`./-])[a-z]+(?:-[a-z]+)*(?![\w`/-])")
"""Words of prose; what is part of code, of a path or of a name stays."""


def _sayings() -> tuple[tuple[str, re.Pattern[str]], ...]:
    lines = (line.split(" => ") for line in _SAYINGS.replace("\n |", "|").split("\n") if line.strip())
    return tuple(
        (meant.strip(), re.compile(rf"(?<![\w`-])(?:{saying.strip()})(?![\w`-])")) for meant, saying in lines
    )


def _words() -> Mapping[str, str]:
    found: dict[str, str] = {}
    for line in _WORDS.replace("\n ", " ").strip().splitlines():
        meant, _, others = line.partition(": ")
        for word in (meant, *others.split()):
            found.setdefault(word, meant)
            found.setdefault(f"{word}s", meant)
    return found


_READ_SAYINGS: Final = _sayings()
_PLAIN: Final = _words()
