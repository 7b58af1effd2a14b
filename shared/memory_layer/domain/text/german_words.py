"""German words of contradictions, in lower case and without accents: negators, antonyms, light words, units."""

NEGATORS = "nicht kein keine keinen keinem keiner nie niemals ohne"

COMPLEMENTS = """
enable aktiviert aktivieren eingeschaltet einschalten | deaktiviert deaktivieren ausgeschaltet abgeschaltet
required erforderlich notwendig verpflichtend braucht benotigt pflicht | freiwillig
allow erlaubt zulassig gestattet | verboten untersagt unzulassig
work funktioniert lauft | defekt
safe sicher | unsicher gefahrlich
public offentlich | privat
possible moglich | unmoglich
manual manuell | automatisch
"""
"""Antonyms by axis; the first word of a line is the axis in English."""

CONTRARIES = """
before vor | nach
faster schneller | langsamer
"""

LIGHT = """
der die das den dem des ein eine einen einem einer eines ist sind wird werden wurde und oder auf im am an zu zum
zur von vom fur bei uber als auch noch schon immer muss mussen soll sollen sollte darf durfen kann konnen haben
wir ihr sie es nutzen nutzt verwenden verwendet bitte jetzt alle jede jeder jedes sich dass nur unter mehr
"""

VERB_MARKS = "ist sind wird werden war wurde muss mussen soll sollen darf durfen kann konnen hat haben gehort"

PREPOSITIONS = "auf im am fur bei von unter nach zu zum zur wahrend unter wegen"

CONDITIONS = "wenn falls solange sofern"

EMPHATIC = "immer muss mussen niemals"
