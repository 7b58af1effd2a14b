"""Words that say the same in another wording of a sentence: wider than the gate's, for a person looks at what is found."""

from collections import defaultdict
from collections.abc import Mapping

from memory_layer.domain.conflicts.attribute_words import content_terms
from memory_layer.domain.conflicts.interchangeable_words import same_stem
from memory_layer.domain.text.analyzer import folded

_GROUPS = """
use uses used using utilize employ employs consume consumes consumed take takes taken adopt adopted
get gets got obtain obtains receive receives received fetch retrieve retrieves acquire
give gives given provide provides provided supply supplies offer offers offered grant grants
send sends sent deliver delivers delivered transmit transmits transmitted emit emits emitted verschickt versendet gesendet
keep keeps kept hold holds store stores stored save saves saved live lives reside resides located lies preserve
show shows shown display displays displayed present presented render renders appear appears
change changes changed modify modifies alter alters adjust adjusts adjusted edit edits
turn turns turned convert converts converted transform transforms transformed translate become becomes
remove removes delete deletes erase wipe wipes wiped clear clears drop drops purge discard discards clean cleaned
reset resets wipe
fall falls drop drops decrease decreases sink
build builds built rebuild rebuilds rebuilt create creates created generate generates generated produce produces produced make makes made
start starts started begin begins launch launches launched boot boots kick run runs gestartet neustarten neu
restart restarts restarted reboot reboots rebooted
stop stops stopped halt halts end ends ended finish finishes finished terminate terminates complete completes completed
tell tells told notify notifies notified inform informs informed let alert alerts
say says said state states stated
allow allows permit permits enable enables let lets
forbid forbids prohibit prohibits prohibited disallow disallowed ban banned
ask asks asked request requests requested prompt prompts prompted
call calls called invoke invokes invoked
talk talks communicate communicates speak speaks
learn find information read see know
look looks search searches searched find finds found locate seek
choose chooses chosen select selects selected pick picks picked
help helps helped assist assists aid support
need needs needed require requires required demand demands necessary
want wants wish wishes would like
check checks checked verify verifies verified validate validates validated ensure ensures confirm confirms
try tries attempt attempts
protect protects protected guard guards guarded shield defend secure
avoid avoids prevent prevents
matter matters relevant relevance important importance
happen happens occur occurs arise
contain contains include includes included comprise consist has have list lists
describe describes described explain explains explained document documented
define defines defined specify specifies specified declare declares declared
set sets configure configures configured adjust
connect connects connected attach attached link linked
split splits separate separated divide divided
join joins combine combines combined merge merged unite
speed speeds fast faster quick quickly rapid
less fewer lower reduced
more greater
big large great huge
small little tiny short
many several multiple numerous various different
often frequently regularly
daily day nightly night nachts nacht
weekly week
hourly hour
monthly month
correct right proper valid
wrong incorrect invalid
error errors failure failures problem problems issue issues exception
person people human someone individual somebody
user users customer customers
developer developers engineer engineers programmer
item items entry entries element elements
folder directory path
app application applications service program
site website page pages webpage
info information detail details data
docs documentation guide manual document reference
machine computer host system
fallback default defaults
method way approach technique
amount number count quantity
part portion section
kind type sort
place location position spot
reason cause because
result results outcome output
goal aim purpose objective
example instance
idea concept notion
directly straight immediately instantly
automatically automatic auto
manually manual hand
explicitly explicit
only solely exclusively just
also too additionally moreover
especially particularly
approve approves approved sign accept accepts accepted
reject rejects refuse refuses decline declines
rotate rotates rotated renew renews renewed
copy copies copied duplicate duplicates clone
move moves moved transfer transfers transferred migrate
increase increases raise raises grow grows
fetch load loads loaded download downloads downloaded
install installs installed setup
handle handles handled process processes processed manage manages managed treat
share shares shared common
go goes pass passes flow flows travel
leave leaves left abandon
learn read study
fix repair patch resolve solve
apply applies applied execute
publish publishes published release releases released ship
wait waits pause delay
return returns returned yield
append add adds added extend extends attach put insert inserts
speichern gespeichert abgelegt ablegen liegt liegen
verwenden verwendet nutzen nutzt benutzen benutzt genutzt
prufen pruft gepruft kontrollieren testen
erstellen erstellt anlegen angelegt erzeugen erzeugt
loschen geloscht entfernen entfernt
andern geandert anpassen angepasst bearbeiten
zeigen zeigt anzeigen angezeigt
schicken senden sendet ubermitteln
brauchen braucht benotigen benotigt erfordert
laufen lauft ausfuhren ausgefuhrt
starten startet beginnt beginnen
niemals nie
montag montags
dienstag dienstags
mittwoch mittwochs
donnerstag donnerstags
freitag freitags
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
