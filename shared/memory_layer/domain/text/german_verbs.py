"""German verbs: infinitives of their forms, and verbs whose prefix stands at the end of the clause."""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from functools import cache
from typing import Final

from memory_layer.domain.text.analyzer import folded

PREFIXES: Final = tuple(
    folded(
        """
        auseinander zusammen herunter hinunter herüber hervor heraus hinaus herein hinein zurück hinzu voraus vorbei
        weiter wieder bereit runter dicht fehl fest fort frei groß klar hoch raus rein statt still teil über unter
        durch nach auf aus ab an bei bloß ein her hin los mit um vor weg zu
        """
    ).split()
)
"""Prefixes that leave the verb, the longer ones first."""

_SPOKEN: Final = {"raus": ("heraus", "aus"), "runter": ("herunter",), "rein": ("herein", "hinein", "ein")}
"""Prefixes that are said for others."""

_FIXED: Final = (
    *("be", "emp", "ent", "er", "miss", "ver", "zer"),
    *("uber", "unter", "wieder", "wider", "durch", "um", "voll", "hinter"),
)
"""Prefixes that stay at the verb, which has no ge- in its participle."""

_CLAUSE_BEGINS: Final = frozenset(
    folded(
        "und oder aber wenn falls ob dass weil bevor nachdem sobald solange während damit obwohl als wie"
    ).split()
)
_FINITE: Final = ("test", "tet", "ten", "te", "est", "et", "st", "t", "e")
_DECLENSIONS: Final = ("en", "em", "er", "es", "e")
_ROOT_MIN: Final = 3

_STRONG: Final = """
befehlen befiehlt befohlen | beginnen begann begonnen | beissen gebissen | biegen gebogen | bieten bot geboten
binden band gebunden | bitten gebeten | bleiben blieb geblieben | brechen bricht brach gebrochen
bringen brachte gebracht | denken dachte gedacht | dringen drang gedrungen | empfehlen empfiehlt empfohlen
fahren fährt fuhr gefahren | fallen fällt fiel gefallen | fangen fängt fing gefangen | finden fand gefunden
fliegen flog geflogen | fließen floß geflossen | fressen frisst gefressen | frieren fror gefroren
geben gibt gab gegeben | gehen ging gegangen | gelten gilt galt gegolten | gewinnen gewann gewonnen
gießen gegossen | gleichen glich geglichen | graben gräbt gegraben | greifen griff gegriffen
halten hält hielt gehalten | hängen hing gehangen | heben hob gehoben | heißen hieß geheißen
helfen hilft half geholfen | kennen kannte gekannt | klingen klang geklungen | kommen kam gekommen
laden lädt lud geladen | lassen lässt ließ gelassen | laufen läuft lief gelaufen | leiden litt gelitten
leihen lieh geliehen | lesen liest las gelesen | liegen lag gelegen | meiden mied gemieden
messen misst maß gemessen | nehmen nimmt nahm genommen | nennen nannte genannt | raten rät riet geraten
reißen riss gerissen | rufen rief gerufen | scheiden schied geschieden | scheinen schien geschienen
schieben schob geschoben | schlafen schläft geschlafen | schlagen schlägt schlug geschlagen
schließen schloss geschlossen | schneiden schnitt geschnitten | schreiben schrieb geschrieben
schreiten schritt geschritten | sehen sieht sah gesehen | senden sandte gesandt | singen gesungen
sinken sank gesunken | sitzen saß gesessen | sprechen spricht sprach gesprochen | springen sprang gesprungen
stechen sticht gestochen | stehen stand gestanden | steigen stieg gestiegen | sterben stirbt gestorben
stoßen stößt stieß gestoßen | streichen strich gestrichen | tragen trägt trug getragen
treffen trifft traf getroffen | treiben trieb getrieben | treten tritt trat getreten | trinken getrunken
tun tat getan | vergessen vergisst vergaß | verlieren verlor verloren | wachsen wächst wuchs gewachsen
waschen wäscht gewaschen | weichen wich gewichen | weisen wies gewiesen | wenden wandte gewandt
werben wirbt geworben | werfen wirft warf geworfen | wiegen wog gewogen | wissen weiß wusste gewusst
ziehen zog gezogen | zwingen zwang gezwungen | bergen birgt geborgen | schwinden schwand geschwunden
brennen brannte gebrannt | rennen rannte gerannt | schmelzen schmilzt geschmolzen | schaffen schuf geschaffen
"""
"""Verbs that change their root, `infinitive form form | infinitive …`."""


def whole_verbs(words: Sequence[str], known: Container[str]) -> list[str]:
    """Words of a question, verbs with the prefix that stands at the end of their clause, and nothing for the prefix.

    Args:
        words: folded, as they are spelled.
        known: infinitives in lower case; only these are put together.
    """
    whole = list(words)
    begin = 0
    for at, word in enumerate(words):
        is_last = at + 1 == len(words) or words[at + 1].lower() in _CLAUSE_BEGINS
        if word in PREFIXES and is_last:
            _put_together(whole, begin, at, known)
        begin = at + 1 if word in _CLAUSE_BEGINS and at else begin
    return whole


def _put_together(whole: list[str], begin: int, at: int, known: Container[str]) -> None:
    """Puts the prefix at a place before the first verb of the clause that is a known one with it."""
    prefixes = (whole[at], *_SPOKEN.get(whole[at], ()))
    for place in range(begin, at):
        if place and not whole[place].islower():
            continue  # a noun
        forms = list(_finite(whole[place].lower()))
        found = next((p + form for p in prefixes for form in forms if p + form in known), None)
        if found is not None:
            whole[place], whole[at] = found, ""
            return


def infinitives(word: str) -> Iterator[str]:
    """Infinitives that a word may be a form of, the likelier first. Args: word: folded, in lower case."""
    for bare in _undeclined(word):
        for prefix in (*_prefixes_of(bare), ""):
            yield from (prefix + root for root in _roots(bare[len(prefix) :]))
        for fixed in (fixed for fixed in _FIXED if bare.startswith(fixed)):
            rest = bare[len(fixed) :]
            yield from (fixed + root for root in _changed(rest, f"ge{rest}"))
    yield from _finite(word)


def unprefixed(word: str) -> Iterator[str]:
    """Infinitives of the verbs that a participle or an infinitive was made of by a prefix that leaves it."""
    for bare in _undeclined(word):
        for prefix in _prefixes_of(bare):
            yield from _roots(bare[len(prefix) :])


def _undeclined(word: str) -> Iterator[str]:
    yield word
    for ending in _DECLENSIONS:
        if word.endswith(ending) and len(word) - len(ending) > _ROOT_MIN:
            yield word.removesuffix(ending)


def _prefixes_of(word: str) -> list[str]:
    return [prefix for prefix in PREFIXES if word.startswith(prefix) and len(word) - len(prefix) > _ROOT_MIN]


def _roots(rest: str) -> Iterator[str]:
    """Infinitives of a participle, of an infinitive with zu, or of a form that changes its root."""
    yield from _changed(rest)
    if rest.startswith("ge") and rest.endswith("t"):
        for ending in ("t", "et"):
            yield from _infinitives(rest[2:].removesuffix(ending)) if rest.endswith(ending) else ()
    if rest.startswith("zu") and rest.endswith("n"):
        yield rest[2:]


def _changed(*forms: str) -> Iterator[str]:
    return (_strong()[form] for form in forms if form in _strong())


def _finite(word: str) -> Iterator[str]:
    """Infinitives of a form without a prefix: the word, by a change of its root, or by its ending."""
    yield word
    yield from _changed(word)
    for ending in _FINITE:
        if word.endswith(ending) and len(word) - len(ending) >= _ROOT_MIN:
            yield from _infinitives(word.removesuffix(ending))


def _infinitives(root: str) -> Iterator[str]:
    yield f"{root}en"
    if root.endswith(("el", "er")):
        yield f"{root}n"


@cache
def _strong() -> dict[str, str]:
    """Infinitives by their forms that change the root."""
    verbs = (folded(entry).split() for entry in _STRONG.replace("\n", " | ").split(" | "))
    return {form: infinitive for infinitive, *forms in (verb for verb in verbs if verb) for form in forms}
