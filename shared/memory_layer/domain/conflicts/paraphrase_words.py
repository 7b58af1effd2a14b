"""Words of one meaning in another wording of a sentence: wider than the gate's, for a person looks at what is found."""

from collections import defaultdict
from collections.abc import Mapping

from memory_layer.domain.conflicts.attribute_words import content_terms
from memory_layer.domain.conflicts.interchangeable_words import same_stem
from memory_layer.domain.text.analyzer import folded

_GROUPS = """
use utilize employ consume take taken adopt
get got receive fetch acquire
give given provide supply offer grant
send deliver transmit emit verschickt versendet gesendet
keep live reside located lies
show present render appear
change adjust
turn convert transform translate become
remove wipe clear drop discard clean
reset wipe
fall drop decrease sink
build built rebuild rebuilt create produce make made
start launch boot kick gestartet neustarten neu
restart reboot
stop stopped terminate complete
tell told notify inform let alert
say said state
allow permit enable let
forbid prohibit disallow ban
ask request prompt
call invoke
talk communicate speak
learn find information read see know
look search find found locate seek
help aid support
need require demand necessary
want wish like
check verify validate ensure confirm
try attempt
protect guard shield defend secure
avoid prevent
matter relevant important
happen occur arise
contain include comprise consist list
describe explain document
define specify declare
set configure adjust
connect attach link
split separate divide
join combine merge unite
speed fast faster
less fewer lower reduced
big great huge
small little short
many several multiple various different
often frequently regularly
daily day nightly nachts
correct proper valid
wrong invalid
error failure problem issue exception
person people human someone individual somebody
user customer
developer engineer programmer
item entry element
folder path
app service program
site website page webpage
info detail data
docs guide manual reference
machine computer host system
fallback default
method way approach technique
amount number count quantity
part portion section
kind type sort
place location position spot
reason cause
result outcome output
goal aim purpose objective
example instance
idea concept notion
directly straight immediately instantly
automatically auto
manually hand
solely exclusively just
also additionally moreover
especially particularly
approve sign accept
reject refuse decline
rotate renew
copy duplicate clone
move transfer migrate
increase raise grow
fetch load download
install setup
handle process manage treat
share common
go goes pass flow travel
leave left abandon
learn read study
fix patch resolve solve
apply execute
publish release ship
return yield
append add extend attach put insert
hang block freeze stuck
unreachable unavailable offline
crash die abort
log record
trigger fire
retry repeat
replace swap substitute exchange
limit restrict constrain
track monitor watch observe
plan schedule
lead cause result
sync synchronize
reach access
rely depend
belong maintain responsible
prefer recommend favor advise
mainly mostly primarily chiefly
new fresh recent latest
old legacy outdated obsolete
rest remaining left
hide conceal mask
permission right privilege
team group squad crew
feature capability functionality
bug defect
slow sluggish
cheap inexpensive
hard difficult tough
easy simple
quiet silent
cover span
exceed surpass
reduce shrink minimize lower decrease
fill populate
print write
parse read
expose publish
enforce require
group bundle
speed performance
bereitstellen deployen ausrollen
erlaubt gestattet darf
pflicht muss erforderlich
speichern gespeichert abgelegt ablegen liegt liegen
verwenden verwendet nutzen nutzt benutzen benutzt genutzt
prufen pruft gepruft kontrollieren testen
erstellen erstellt anlegen angelegt erzeugen erzeugt
loschen geloscht entfernen entfernt
andern geandert anpassen angepasst bearbeiten
zeigen zeigt anzeigen angezeigt
schicken senden sendet ubermitteln
brauchen braucht benotigen benotigt erfordert
laufen lauft ausfuhren
starten startet
niemals nie
"""

_GENERIC = """
usually typically generally normally commonly always every each all everytime
way thing manner case order kind fact example instance purpose via per along alongside therefore thus hence then so
similar similarly either both time whole entire away own specific particular given certain respective
since because enough able possible possibly actual actually really quite rather simply easily mean means note please
our your their we you they us someone
must should shall may might can could will would let lets going
"""


_DESCRIPTIONS = """
setting option flag environment variable parameter argument command function method class field key file package module
tool attribute property section role permission called named
"""

_DONE = "use get set call return run execute tell give make show put take let say do perform take"


def term_of(word: str) -> str | None:
    """Term of a word as a text's terms have it, if the word tells something."""
    terms = content_terms(word)
    return same_stem(terms[0]) if terms else None


def _terms(words: str) -> frozenset[str]:
    return frozenset(term for term in map(term_of, words.split()) if term)


def _groups() -> Mapping[str, frozenset[int]]:
    groups: dict[str, set[int]] = defaultdict(set)
    for number, line in enumerate(folded(_GROUPS).strip().splitlines()):
        for term in _terms(line):
            groups[term].add(number)
    return {term: frozenset(numbers) for term, numbers in groups.items()}


GROUPS_OF: Mapping[str, frozenset[int]] = _groups()
"""Groups of a term: two that share one say the same of the same thing."""

GENERIC = _terms(_GENERIC)
"""Terms that another wording may have or lack."""

DESCRIPTIONS = _terms(_DESCRIPTIONS)
"""Terms that say of what kind a thing is that both name."""

DONE = _terms(_DONE)
"""Verbs of which another wording may have one more: `by running`, `is called when`."""
