"""Table of German words of software and daily work, `word, other word: what is said for them in English | word: ...`.

No word of it is an English one, so that an English question reads as it is written.
"""

from typing import Final

GERMAN: Final = """
abbrechen, abbruch, abgebrochen: abort cancel | abfrage, abfragen, abgefragt: query
abhängigkeit: dependency | abhängen, abhängig: depend | ablage, ablegen, abgelegt: put store | ablauf: flow
ablaufen, abgelaufen: expire | ablehnen, abgelehnt, ablehnung: reject | abmelden, abmeldung: logout
abnahme: acceptance | abruf, abrufen, abgerufen: fetch retrieve
abschalten, ausschalten, deaktivieren, deaktiviert: disable
vergleich, vergleichen, verglichen: compare comparison | abschnitt: section | absturz, abstürzen: crash
abwärtskompatibel: backward compatible | abweichung: difference | adresse: address
aktivieren, aktiviert, einschalten, freischalten: enable
aktualisierung, aktualisieren, aktualisiert: update | veraltet, veraltete: deprecated outdated
anbieter: provider | anfrage, anfragen: request | angabe, angeben, angegeben: specify declared
angeheftet, anheften, festpinnen: pin pinned | angreifer, angriff: attack
anhang, anhängen, angehängt: append attachment | anlegen, angelegt: create | anleitung: guide
anmeldung, anmelden, einloggen: login | anmeldedaten, zugangsdaten: credentials
anpassen, anpassung, angepasst: customize adjust | anruf: call | ansicht: view
antwort, antworten, beantworten: response answer | anweisung: instruction | anwendung: application
anwenden, angewendet: apply | anzahl: number count | anzeige, anzeigen, angezeigt: show display
arbeitsbereich: workspace | arbeitsspeicher, hauptspeicher: memory | arbeitsverzeichnis: working directory
architektur: architecture | archiv, archivieren: archive | asynchron: asynchronous | attribut: attribute
aufbau, aufbauen: structure build | aufbewahren, aufbewahrung: retention keep | aufgabe: task
auflösen, auflösung, aufgelöst: resolve resolution
aufräumen, aufgeräumt, bereinigen, bereinigung, säubern: clean prune
aufruf, aufrufen, aufgerufen: call invoke | aufteilen, aufgeteilt: split | auftrag: job order
auftreten, aufgetreten: occur | aufzählung: enum | ausdruck: expression | ausführbar: executable
ausführung, ausführen, ausgeführt: run execute | ausgabe, ausgeben, ausgegeben: output print
auslösen, auslöser, ausgelöst: trigger | ausnahme: exception
ausschließen, ausgeschlossen, ausschluss: exclude | außerhalb: outside
auswahl, auswählen, ausgewählt: select choose | authentifizierung, authentifizieren: authentication
automatisch, automatisieren: automatically automatic | autorisierung: authorization
barrierefreiheit: accessibility | grundlage: base | baum: tree | bauen, gebaut: build
bearbeiten, bearbeitung, bearbeitet: edit process | bedeutung, bedeuten, bedeutet: mean
bedingung: condition | beenden, beendet: exit stop terminate | befehl: command
befehlszeile, kommandozeile: command line
begrenzen, begrenzung, begrenzt, beschränken, beschränkung: limit restrict
behandeln, behandlung, behandelt: handle handling | beheben, behoben, behebung: fix
beibehalten, behalten, erhalten: keep preserve | beispiel: example
beitrag, beitragen: contribute contribution | bekannt: known
benachrichtigung, benachrichtigen: notification notify
benennung, namensgebung, benennen, benannt: naming name
benutzen, benutzt, verwenden, verwendet, verwendung, nutzung: use usage | benutzer, nutzer, anwender: user
benutzername: username | benutzeroberfläche, oberfläche: user interface
berechnung, berechnen, berechnet: compute calculate | berechtigung: permission | bereich: range scope
bereitschaft, rufbereitschaft: on-call
bereitstellung, bereitstellen, ausrollen, ausgerollt: deployment deploy | bericht, berichten: report
beschädigt: corrupted damaged | beschleunigen, schneller: speed up faster
beschreibung, beschreiben: description describe | besitzer, eigentümer: owner | besprechung: meeting
bestandteil: component part | bestätigen, bestätigung, bestätigt: confirm confirmation | bestellung: order
bestimmen, festlegen, festgelegt: determine define set | betreff: subject
betreiben, betrieb: operate operation | betriebssystem: operating system | bezahlung, zahlung: payment
bezeichner, kennung: identifier id | bibliothek: library | bild: image picture | bildschirm: screen
blockieren, blockierend, blockiert: block blocking | datei: file | dateisystem: filesystem | daten: data
datenbank: database | datenbestand: dataset | datenmenge: amount of data | datenmodell: data model
datenschutz: privacy | datensatz: record | datenstruktur: data structure | datentyp: data type | datum: date
dauer, dauern, dauert: duration long | definieren, definiert: define definition
dekodieren, dekodiert: decode | dekorieren, dekoriert, dekorator: decorator decorated | dienst: service
dokument: document | dokumentation, dokumentieren: documentation | doppelt, duplikat: duplicate
drosselung, drosseln: throttle | drucken, drucker: print printer | durchführen: perform
durchlauf: run iteration | durchsatz: throughput | durchschnitt: average | dynamisch: dynamic
ebene: level layer | echtzeit: real-time | eigenschaft: property | einbinden, eingebunden: include mount
einbetten, eingebettet: embed inline | eindeutig: unique | einfügen, eingefügt: insert
eingabe, eingeben: input | eingebaut: built-in | einheitlich: consistent uniform
einheitstest, modultest: unit test | einlesen, lesen, gelesen, liest: read | einmalig: once
einrückung: indentation | einrichtung, einrichten, eingerichtet: setup configure
einstellung, einstellen, eingestellt: setting | eintrag: entry record item | empfänger: recipient receiver
empfangen, empfang: receive | empfehlung, empfehlen, empfohlen: recommended recommend | endpunkt: endpoint
entfernen, entfernt: remove | enthalten, enthält: contain include | entpacken: unpack extract
entscheidung, entscheiden, entscheidet, entschieden: decide decision
entsprechen, entspricht: match correspond | entwickler: developer | entwicklung, entwickeln: development
entwurf: design draft | ereignis: event | erfolg, erfolgreich: success successful
erforderlich, benötigt, benötigen, notwendig: required need
ergänzen, vervollständigung, vervollständigen: completion complete | ergebnis: result
erkennen, erkennung, erkannt: detect detection | erklären, erklärung: explain
erlauben, erlaubt, zulassen, zulässig: allow allowed | ermitteln: determine | erneuern, erneuert: renew
erneut, nochmals: again | ersetzen, ersetzt, ersatz: replace replacement
erstellen, erstellt, erzeugen, erzeugt, erzeugung, generieren: create generate
erwarten, erwartet: expect expected | erweitern, erweiterung, erweitert: extension extend
explizit, ausdrücklich: explicit | exportieren: export | falsch: wrong incorrect | farbe: color
fehler: error | fehlerbehandlung: error handling | fehlermeldung: error message | fehlersuche: debugging
fehlschlag, fehlschlagen, fehlgeschlagen, scheitern, schlägt fehl: fail failure | fehlend, fehlt: missing
feld: field | fenster: window | fertig: done finished | filtern: filter | finden, gefunden: find
flüchtig: volatile transient | folgen, folgt: follow
formatieren, formatierung, formatierer: format formatter formatting | fortschritt: progress
fortsetzen: resume continue | freigabe, freigeben, freigegeben: release approval | funktion: function
funktionieren, funktioniert: work | funktionalität: functionality feature | ganzzahl: integer
geheim, geheimnis: secret | geltungsbereich: scope | gemeinsam, geteilt, teilen: shared share
gerät: device | geschwindigkeit: speed | gespeichert: stored saved | gesperrt: locked | gestaltung: design
gewinnen, gewonnen: win | gleichzeitig, nebenläufig, nebenläufigkeit: concurrent concurrency
grenze, grenzwert, obergrenze, begrenzer: limit | größe: size | größer: larger
großschreibung: capitalization uppercase | grund: reason | gruppe, gruppieren: group
gültig, gültigkeit: valid | hauptzweig: main branch | herunterfahren: shut down
herunterladen, heruntergeladen: download | hilfe, helfen: help | hinterlegen, hinterlegt: store
hintergrund: background | hintergrundaufgabe: background job | hinzufügen, hinzugefügt: add
hinweis: note hint | hochladen, hochgeladen: upload
hochverfügbar, verfügbarkeit, verfügbar: availability available | höchstens, höchste: maximum
idempotenz: idempotency | importieren: import | indizieren: index | inhalt: content
initialisieren, initialisierung: initialize | installieren, installiert: install | instanz: instance
integrieren: integration | intern: internal | kanal: channel | kapazität: capacity
kennwort, passwort: password | kennzeichen, kennzeichnen, markieren, markiert: mark flag | klasse: class
kleinschreibung: lowercase | klonen: clone | knoten: node | kommentar, kommentieren: comment
komponente: component | komprimieren, komprimierung: compression compress
konfiguration, konfigurieren, konfiguriert: configuration configure | konflikt: conflict
konsistenz, konsistent: consistency consistent | konstante: constant | konto: account | kontext: context
konvention: convention | konvertieren, umwandeln, umwandlung, umgewandelt: convert | kopfzeile: header
kopie, kopieren, kopiert: copy | korrelation: correlation | korrektur, korrigieren: fix correction
kosten: cost | kritisch: critical | kunde: customer client | künftig, zukünftig: future
kürzen, gekürzt: shorten truncate | laden, geladen, lädt: load | länge: length | langsam: slow
auslastung, belastung: load | lastverteiler: load balancer | latenz, verzögerung: latency delay
laufen, läuft: run | laufzeit: runtime | laufwerk: drive disk | lauschen, lauscht: listen
leer, leeren: empty clear | leistung: performance | leitfaden, richtlinie: guideline guide policy
liefern, geliefert, liefert: return deliver | lizenz: license | lösen, lösung, gelöst: solution solve
löschen, löschung, gelöscht, löscht: delete | mehrere: multiple several | meldung, nachricht: message
menge: amount set | merkmal: feature | messen, messung, messwert, kennzahl: metric measure
metadaten: metadata | methode: method | metrik: metrics metric | mindestens, niedrigste: minimum lowest
mitglied: member | mitgliedschaft: membership | muster: pattern | nachladen: reload
nachverfolgung: tracing tracking | namensraum: namespace | netz, netzwerk: network
neustart, neustarten: restart | nummer: number | objekt: object | öffentlich: public
öffnen, geöffnet: open | optimieren, optimierung: optimize optimization | paket: package
paketverwaltung: package manager | pfad: path | pflege, pflegen, gepflegt: maintain
pflicht, verpflichtend: mandatory required | platzhalter: placeholder | priorität: priority
privat: private | programm: program | programmiersprache: programming language | projekt: project
protokoll: log protocol | protokollieren, protokollierung, protokolliert: logging log | prozess: process
prüfen, prüfung, geprüft, überprüfen, überprüfung, verifizieren: check verify verification
prüfsumme: checksum | puffer: buffer | quelle: source | quellcode, quelltext: source code | rahmen: frame
rahmenwerk: framework | rechner: machine computer | rechte: permission | referenz: reference | regel: rule
registrieren, registriert, registrierung: register registration | reihenfolge: order | rolle: role
rückgabe, rückgabewert, zurückgeben: return value
rückgängig, zurücksetzen, zurückrollen, zurückgesetzt: rollback undo reset | rückruf: callback
sammeln, sammlung: collect collection | schalter: switch flag | schicht: layer
schicken, senden, gesendet, geschickt, versenden: send | schleife: loop | schließen, geschlossen: close
schlüssel: key | schlüsselwort: keyword | schnittstelle: interface api
schreiben, geschrieben, schreibt: write | schreibweise: spelling naming | schreibgeschützt: read-only
schriftart: font | schritt: step | schutz, schützen: protection protect | schwelle, schwellenwert: threshold
seite: page | serverlos: serverless | sicher: safe secure | sicherheit: security
sicherheitslücke, schwachstelle: vulnerability | sichern, sicherung, datensicherung: backup
sichtbar, sichtbarkeit: visible visibility | signatur, signieren: sign signature | sitzung: session
skalieren, skalierung: scale scaling | skript: script | sortieren, sortierung, sortiert: sort
spalte: column | speichern, speicherung: store save | speicher: memory storage | sperre, sperren: lock
sperrdatei: lockfile | sprache: language | stabil: stable
standardmäßig, voreingestellt, voreinstellung, standardwert, vorgabe: default
starten, gestartet, startet: start | statisch: static | zustand: state status | steuern, steuerung: control
stichprobe, stichprobenartig: sampling sample | stoppen, anhalten: stop | strategie: strategy
struktur: structure | stufe: level stage | suche, suchen, gesucht: search | tabelle: table
tastatur: keyboard | teil, teilweise: part partial | teilnehmer: participant | testen, getestet: test
träge: lazy | transaktion: transaction | treiber: driver | trennen, trennung, getrennt: separate separation
typ: type | typisierung: typing | typprüfung: type check | überflüssig: extraneous unnecessary
übergabe, übergeben: pass | überladen: overload | überschreiben, überschrieben: override overwrite
überschreiten, überschreitung: exceed | überspringen, übersprungen: skip
übersetzung, übersetzen: translation compile | übertragen, übertragung: transfer
überwachen, überwachung: monitoring monitor | umbenennen, umbenannt: rename | umgang: handling
umgebung: environment | umgebungsvariable: environment variable | umgehen, umgehung: workaround bypass
umlaut: umlaut | umleiten, umleitung, weiterleiten, weiterleitung: redirect
umstellen, umstellung, umzug, migrieren: migrate migration | unbehandelt: unhandled uncaught
unbekannt: unknown | ungültig: invalid | unsicher: unsafe insecure | unterbrechen, unterbrechung: interrupt
unterdrücken: suppress | untergeordnet: child nested | unterschied, unterscheiden: difference
unterstützen, unterstützung, unterstützt: support | unverändert, unveränderlich: unchanged immutable
urheber: author | ursache: cause | verändern, änderung, ändern, geändert: change
verarbeiten, verarbeitung, verarbeitet: process processing | verbergen, verborgen: hide hidden
verbieten, verboten: forbidden forbid | verbinden, verbindung: connection connect
verbrauch, verbrauchen: consumption consume | verdrängung: eviction | vererbung, erben: inheritance
verfahren: method procedure | verfallen: expire | vergeben: assign | verhalten: behavior
verhindern, vermeiden: avoid prevent | verknüpfung, verknüpfen: link
verlieren, verlust, verloren: lose loss | vermerk: note
veröffentlichung, veröffentlichen, veröffentlicht: release publish | verschachtelt: nested
verschieben, verschoben: move | verschlüsselung, verschlüsseln, verschlüsselt: encryption encrypt
versionsverwaltung: version control | versuch, versuchen: attempt try
verteilen, verteilt, verteilung: distribute distributed | vertrauen, vertrauenswürdig: trust trusted
verweis: reference link | verwerfen, verworfen: discard drop
verwalten, verwaltung, verwaltet: manage management | verzeichnis, ordner: directory | virtuell: virtual
vorabversion: pre-release | voraussetzung: requirement prerequisite | vorgebaut, vorgefertigt: pre-built
vorgang: operation | vorlage: template | vorschau: preview | vorteil: advantage
wahl, wählen: choose choice | warnung, warnen: warning | warten, gewartet: wait | warteschlange: queue
wartung: maintenance | wechsel, wechseln, rotieren: switch rotate | weglassen: omit
werfen, geworfen, wirft: throw raise | werkzeug: tool | wert: value | wettlauf: race
wiederherstellung, wiederherstellen: restore recover
wiederholen, wiederholung, wiederholungsversuch: retry repeat | wiederverwenden, wiederverwendung: reuse
wirkung, wirken: effect | wurzel, wurzelverzeichnis: root | zahl: number | zählen, zähler: count counter
zeichen: character | zeichensatz, zeichenkodierung: charset encoding | zeichenkette: string | zeile: line
zeiger: pointer | zeitlimit, zeitüberschreitung: timeout | zeitplan, planen: schedule
zeitstempel: timestamp | zeitzone: timezone | zertifikat: certificate | ziel: target
zufall, zufällig: random | zugang, zugriff, zugreifen: access | zugehörig, zugehörigkeit: related
zusammen: together | zusammenfassen, zusammenfassung: summary summarize
zusammenführen, zusammenführung: merge | zuordnen, zuordnung, zuweisen, zuweisung: mapping assign
zuständig, verantwortlich: responsible | zustimmung, einwilligung: consent | zuverlässig: reliable
zweig: branch | zwischenspeicher, zwischenspeichern, zwischengespeichert: cache cached
zwischenablage: clipboard | geschehen, geschieht, passieren, passiert: happen
einzeln, einzig: single individual | direkt: direct | früher, frühere: earlier previous
später, spätere: later | mehrfach: multiple | besser: better | kostenlos: free | gebühr: fee charge
abonnement: subscription | rechnung: invoice | lieferung: delivery | lager: warehouse | preis: price
umsatzsteuer, mehrwertsteuer: tax | währung: currency | warenkorb, einkaufswagen: cart | kasse: checkout
filiale: store | benennungsregel: naming convention
"""
