"""Tellings of tools' failures, and of failures of the work, in German: as `tool_tellings` has them in English."""

from collections.abc import Mapping
from typing import Final

from memory_layer.domain.learning.tool_tellings import ToolFailure

GERMAN_CRASHES: Final = r"""
    \b(?:Speicherzugriffsfehler|Speicherschutzverletzung|Adressierungsfehler|Segmentierungsverletzung)\b(?=\s{0,20}(?:$|[:(!]|\.\s{0,20}$))
    \((?:Speicherabzug|Speicherabbild|Hauptspeicherabzug) (?:geschrieben|erstellt)\)
"""
"""Crashes of a process, which the work makes only where it is written in a language without a safety of memory."""

GERMAN_TELLINGS: Final[Mapping[ToolFailure, str]] = {
    "killed": r"""
        ^[^\w\n]{0,20}+(?:\S{0,200}: )?(?:\d+ )?Get(?:ö|oe)tet\b
        ^[^\w\n]{0,20}+(?:\S{0,200}: )?(?:\d+ )?(?:Abgebrochen \(Killed\)|Gewaltsam beendet)
        \bwurde (?:\S{1,40} ){0,5}(?:get(?:ö|oe)tet|abgeschossen)\b
    """,
    "memory": r"""
        \bnicht (?:gen(?:ü|ue)gend|genug|ausreichend) (?:freier |virtueller |verf(?:ü|ue)gbarer )?{memory}\b
        \bnicht genug virtueller {memory}\b
        \bzu wenig {memory}\b
        \bkein(?: freier)? {memory} (?:mehr )?(?:verf(?:ü|ue)gbar|vorhanden|frei|zug(?:ä|ae)nglich)
        \b{memory}(?: \w+){0,3} (?:ersch(?:ö|oe)pft|verbraucht|aufgebraucht|aufgezehrt)\b
        \b{memory} (?:ist|war|wird|wurde) alle\b(?! \w)
        \b{memory} (?:kann|konnte) nicht (?:\w+ ){0,2}(?:zugewiesen|reserviert|angefordert|alloziert|allokiert|belegt)
        \b(?:kann|konnte) (?:keinen|nicht genug|nicht gen(?:ü|ue)gend) {memory}\b.{0,80}\b{allot}
        \bkein {memory}\b(?: \w+){0,8} verf(?:ü|ue)gbar
        \bSpeicher(?:zuweisung|reservierung|anforderung) (?:\w+ ){0,8}(?:fehlgeschlagen|gescheitert)
        \b{memory} (?:f(?:ü|ue)r|zum)\b.{1,80} (?:konnte|kann) nicht (?:bereitgestellt|zugewiesen|reserviert) werden
        \bkein {memory} (?:zum|f(?:ü|ue)r)\b
    """,
    "time": r"""
        (?:^|[:;.]\s|[-)\]]\s)\W{0,8}(?:Fehler: )?Zeit(?:ü|ue)berschreitung(?:en)?\b
        \bwegen (?:einer )?Zeit(?:ü|ue)berschreitung\b
        \bWartezeit\b.{0,40}\b(?:abgelaufen|(?:ü|ue)berschritten)\b
        \bZeit(?:limit|begrenzung|vorgabe)\b(?:\W+\w+){0,4}\W+(?:erreicht|(?:ü|ue)berschritten|abgelaufen)\b
    """,
    "network": r"""
        \bVerbindung(?:saufbau)?(?: (?:zu|zum|zur|mit) \S{1,200})? (?:abgelehnt|verweigert)\b(?!,? (?:wenn|falls))
        \bVerbindung\b[^\s\w]{0,4}(?: \S{1,200}){0,5} (?:ist|wurde) (?:\w+ ){0,4}{cut}\b
        \bVerbindung (?:\w+ ){0,4}(?:zur(?:ü|ue)ckgesetzt|abgebrochen|verloren|fehlgeschlagen)\b(?!,? (?:wenn|falls))
        \bVerbindung\b[^\s\w]{0,4}(?: \S{1,200}){0,5} (?:konnte|kann) nicht (?:hergestellt|aufgebaut) werden
        \b(?:konnte|kann) (?:\w+ ){0,2}(?:keine|nicht) (?:\w+ ){0,4}Verbindung\b.{0,80}\b(?:herstellen|aufbauen)\b
        \bkeine Verbindung (?:zu|zum|zur|mit)\b.{0,80}\b(?:m(?:ö|oe)glich|hergestellt|herstellen|aufbauen)\b
        \b(?:Fehler (?:bei|in)|St(?:ö|oe)rung (?:bei|in)?) ?der Namensaufl(?:ö|oe)sung
        \bNamensaufl(?:ö|oe)sung (?:\w+ ){0,3}(?:fehlgeschlagen|gescheitert|nicht m(?:ö|oe)glich)
        \bName oder (?:der )?(?:Dienst|Service) (?:ist )?(?:nicht bekannt|unbekannt)
        \b(?:Host|Rechner|Rechnername|Hostname|Adresse)\b.{0,80}\bnicht (?:aufgel(?:ö|oe)st|gefunden) werden
        \b(?:konnte|kann) (?:den )?(?:Host|Hostnamen|Rechner|Rechnernamen)\b.{0,80}\bnicht (?:aufl(?:ö|oe)sen|finden)
        \bUnbekannter (?:Host|Rechner)
        \bNetzwerk (?:ist )?(?:\w+ )?(?:nicht (?:erreichbar|aktiv)|abgeschaltet|ausgefallen)
        \bkeine Route zum? 
        \b(?:Zielrechner|Rechner|Host|Server|Dienst|Gegenstelle)\b(?:[^:\n]|:(?!\s)){0,40}\b(?:un|nicht )erreichbar\b
        \b(?:Zielrechner|Rechner|Host|Server|Dienst)\b(?:[^:\n]|:(?!\s)){0,40}\bnicht (?:aktiv|verf(?:ü|ue)gbar)\b
        \bZu diesem Hostnamen geh(?:ö|oe)rt keine Adresse\b
        \bNetzwerkfehler\b
        \bvom Server (?:unerwartet )?getrennt\b
        \bGegen(?:stelle|seite) hat\b.{0,60}\b(?:aufgelegt|beendet|geschlossen|unterbrochen|abgebrochen)\b
        \bVerbindung (?:zu|zum|zur|mit)\b.{0,80}\b(?:fehlgeschlagen|gescheitert|(?:ist )?nicht m(?:ö|oe)glich)\b
        \b(?:konnte|kann) nicht (?:mit|zu|nach) .{1,80}\bverbinden\b
        \bkonnten? nicht heruntergeladen werden\b
        \bHerunterladen\b.{0,80}\bfehlgeschlagen\b
    """,
    "limit": r"""
        \bzu viele Anfragen\b
        \b(?:Anfrage|Nutzungs|Raten|Aufruf|API-)-?limit\b.{0,30}\b(?:erreicht|(?:ü|ue)berschritten)
        \bKontingent\b.{0,40}\b(?:ersch(?:ö|oe)pft|(?:ü|ue)berschritten|aufgebraucht)
        \bQuota\b.{0,20}\b(?:ersch(?:ö|oe)pft|(?:ü|ue)berschritten)
        \bPlattenplatzbeschr(?:ä|ae)nkung (?:\w+ )?(?:ü|ue)berschritten
    """,
    "disk": r"""
        \bkein (?:freier )?(?:Speicher|Platten|Festplatten)platz (?:mehr )?(?:\w+ ){0,3}(?:verf(?:ü|ue)gbar|frei)
        \bkein Platz mehr\b
        \bnicht (?:gen(?:ü|ue)gend|genug) (?:freier )?(?:Speicher|Platten|Festplatten)?platz\b
        \b(?:Datentr(?:ä|ae)ger|Festplatte|Platte|Laufwerk)(?: ist)? voll\b
        \bDateisystem (?:ist )?(?:nur lesbar|schreibgesch(?:ü|ue)tzt)
        \bEin-?/Ausgabefehler\b
        \bEingabe-?/Ausgabefehler\b
    """,
    "credentials": r"""
        \bAuthenti(?:fizierung|sierung)(?:sfehler)?\b.{0,60}\b(?:fehlgeschlagen|gescheitert|abgelehnt)\b
        \bFehler bei der Authenti(?:fizierung|sierung)\b
        \bAuthenti(?:fizierung|sierung) (?:ist )?(?:fehlgeschlagen|erforderlich)\b(?!,? um)
        \bZugriff verweigert \((?:publickey|password|keyboard)
        \b(?:Zugangs|Anmelde)(?:daten|informationen)\b.{0,30}\b(?:fehlen|abgelaufen|nicht gefunden)\b
        \b(?:Zugangs|Anmelde)(?:daten|informationen)\b.{0,30}\bung(?:ü|ue)ltig\b(?! \w)
        \bkonnte (?:Benutzernamen?|Passwort) .{0,60}\bnicht lesen\b
    """,
}

GERMAN_WORK: Final = r"""
    \bZusicherung\b
    \berwartet\w*\b.{0,200}\b(?:aber|erhalten|erhielt|bekam|bekommen|war|statt|gefunden)\b
    \b(?:Syntax|Typ|Kompilier|(?:Ü|Ue)bersetzungs)fehler\b
    (?<![.\w-])(?:Test|Tests|Testlauf)\b.{0,60}\b(?:fehlgeschlagen|schl(?:ä|ae)gt fehl|schlugen fehl)
    (?<![.\w-])(?:Test|Tests|Testlauf)\b.{0,60}\bZeit(?:ü|ue)berschreitung
    \bZeit(?:ü|ue)berschreitung\b.{0,30}\bTests?\b
    \bundefinierter (?:Verweis|Bezeichner)
"""
