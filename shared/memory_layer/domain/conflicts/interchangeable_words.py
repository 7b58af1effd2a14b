"""Words that mean the same in a project's language, so that another spelling of a fact is no other fact."""

import re
from collections.abc import Iterator, Mapping

from memory_layer.domain.text import opposites
from memory_layer.domain.text.analyzer import STOP_WORDS, analyze, folded
from memory_layer.domain.text.opposites import word_set

_SAME = """
run execute, runs executes, running executing, ran executed
begin start, begins starts, began started, beginning starting
end finish, ends finishes, ended finished
stop halt, stops halts, stopped halted
big large, tiny small, quick fast, quickly fast, rapidly fast, quicker faster
fix repair, fixed repaired, fixes repairs
error mistake
select choose, selects chooses, selected chosen
purchase buy, purchases buys, purchased bought
help assist, helps assists
get obtain, gets obtains, fetch retrieve, fetches retrieves, fetched retrieved
change modify, changes modifies, changed modified
show display, shows displays, shown displayed
contain hold, contains holds
erased deleted
developer dev, developers devs
repository repo, repositories repos
configuration config, configurations configs, configure config, configured config
documentation docs, documents docs, doc docs
directory folder, directories folders, dir folder, dirs folders
environment env, environments envs
application app, applications apps
database db, databases dbs
parameter param, parameters params
argument arg, arguments args
function func, functions funcs
variable var, variables vars
production prod
specification spec, specifications specs
library lib, libraries libs
administrator admin, administrators admins
information info
identifier id, identifiers ids
maximum max, minimum min
temporary temp
authentication auth
dependency dep, dependencies deps
package pkg, packages pkgs
javascript js, typescript ts
kubernetes k8s
postgresql postgres
accessibility a11y, internationalization i18n
pr pull-request, prs pull-requests
e-mail email, e-mails emails
cannot not
approximately about, roughly about, around about
prior before, previously before
further more, extra additional
every each, all each
many numerous
correct right, correctly right
wrong incorrect, wrongly incorrect
automatic automatically, manual manually
default defaults
build builds
per each
whilst while, amongst among, towards toward, afterwards after
colour color, colours colors, behaviour behavior, behaviours behaviors, favourite favorite, honour honor,
honours honors, labour labor, neighbour neighbor, neighbours neighbors, favour favor
centre center, centres centers, licence license, licences licenses, defence defense, catalogue catalog,
dialogue dialog, programme program, programmes programs, grey gray, artefact artifact, artefacts artifacts
cancelled canceled, cancelling canceling, labelled labeled, labelling labeling, modelling modeling,
travelled traveled, signalling signaling, fulfil fulfill
analyse analyze, analyses analyzes, analysed analyzed
muss müssen, soll sollte, darf dürfen, kann können
verzeichnis ordner, anwendung app, konfiguration config, umgebung env, datenbank db
starten beginnen, startet beginnt
jeder alle, jede alle, jedem alle, jeden alle, jedes alle, allen alle
"""

_MADE_ALIKE = re.compile(r"(?<=[a-z]{3})is(?=(?:e[ds]?|ing|ations?|ers?)$)")
"""British endings: organise, serialised, optimisation."""


_UMLAUT = re.compile("([aou])e")
"""Umlauts as they are typed without their keys: `Schluessel`."""


def _pairs() -> Iterator[tuple[str, str]]:
    for pair in _SAME.replace("\n", ",").split(","):
        if pair.strip():
            one, other = folded(pair).split()
            yield one, other


def _stem(word: str) -> str:
    american = _MADE_ALIKE.sub("iz", _UMLAUT.sub(r"\1", folded(word)))
    return next(iter(analyze(american)), american) if american.isalpha() else american


_SAME_STEMS: Mapping[str, str] = {_stem(one): _stem(other) for one, other in _pairs()}


def same_stem(stem: str) -> str:
    """Stem that stands for a stem of the same meaning."""
    return _SAME_STEMS.get(stem, stem)


def meaning(word: str) -> str:
    """Stem that stands for a word, the same for words that mean the same. Args: word: lower case, folded."""
    return same_stem(_stem(word))


def table_form(word: str) -> str:
    """Word as the tables here have it: an alias by its word, an umlaut without its second letter."""
    bare = _UMLAUT.sub(r"\1", word)
    return ALIASES.get(word, bare if bare in HEADS or bare in MODALS or bare in UNTOLD else word)


_HEADS = """
in inside within on at im am
to into onto zu zum zur nach
from out von vom aus
with using via mit
without ohne
by through durch
for für
when if whenever once wenn falls sobald
until till bis
than als
between zwischen
against gegen
over über
under below unter
during während
because since weil
instead statt
except
only solely exclusively nur
and und
or oder
then
"""
ALIASES: Mapping[str, str] = {
    **dict.fromkeys(("delete", "erase"), "remove"),
    **dict.fromkeys(("deletes", "erases"), "removes"),
    "maintain": "keep",
}
"""Words read as another one that has an opposite."""

HEADS: Mapping[str, str] = {
    folded(word): words.split()[0] for words in _HEADS.strip().splitlines() for word in words.split()
}
"""Words that relate others to each other: swapped around one of them, a statement is another one."""

COUPLED = frozenset(("and", "or"))
"""Relations that say the same both ways round."""

MODALS: Mapping[str, str] = {
    **dict.fromkeys(("must", "shall", "required", "muss", "mussen"), "must"),
    **dict.fromkeys(("should", "ought", "recommended", "soll", "sollte", "sollten"), "should"),
    **dict.fromkeys(("may", "might", "can", "could", "kann", "konnen", "darf"), "may"),
}
"""Force of a statement by the word that gives it."""

_GERMAN = """
der die das den dem des ein eine einen einem einer eines ist sind war wird werden wurde wurden hat haben sein
es sie er wir ihr ich du man sich dies diese dieser dieses diesen diesem dass so auch schon noch bitte immer
"""
_MANNER = """
note tip important please via per thus hence therefore however eg ie etc also just simply currently now basically
"""
UNTOLD = (
    (STOP_WORDS | opposites.LIGHT_WORDS | word_set(_GERMAN) | word_set(_MANNER))
    - opposites.OPPOSITES.keys()
    - HEADS.keys()
    - word_set("other some most few own same more both again against only")
)
"""Words without which a text says the same."""
