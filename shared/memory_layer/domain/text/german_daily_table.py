"""Table of German words of daily work and of verbs with prefixes, in the form of `german_table`.

No word of it is an English one, so that an English question reads as it is written.
"""

from typing import Final

GERMAN_DAILY: Final = """
abarbeiten: process work through | abbauen, abreißen: tear down dismantle | abbilden: map represent
abdecken, abdeckung, testabdeckung: cover coverage | abfangen: catch intercept | abgeben: hand in submit
abgleichen, abgleich: compare match reconcile | abhalten: hold | abheben: lift | abholen: fetch pick up
abklären, klären: clarify settle | abkürzen, abkürzung: abbreviate abbreviation | ablesen: read
ableiten: derive | abmachen, abmachung: agree agreement | abnehmen: accept decrease | abrechnen, abrechnung: billing
abrunden, aufrunden, runden, gerundet: round rounding | abschaffen: abolish drop | abschicken, absenden: send submit
abschließen, abschluss: complete finish | abschneiden: cut off truncate | absichern, absicherung: secure protect
absprechen, absprache: agree | abstimmen, abstimmung: agree vote align | abtrennen: split off separate
abwarten: wait | abweisen: reject turn away | abweichen: differ | abwickeln: handle | abzweigen: branch off cut
abziehen: deduct subtract | anbieten, angebot: offer | anbinden, anbindung: connect integration
andocken: attach | anfallen: arise | anfangen, anfang, beginnen: begin start | anfassen: touch
anfordern, anforderung: request requirement | angleichen: align | angreifen: attack | anheben: raise
ankommen, ankunft: arrive | ankündigen, ankündigung: announce announcement | anlaufen: start
anmerken, anmerkung: note comment | annehmen, annahme: accept assume | anordnen, anordnung: arrange
anrufen: call phone | anschauen, ansehen: look at view review | anschließen, anschluss: connect
ansprechen, ansprechpartner: contact | anstoßen: trigger start | antreten: start | anwachsen: grow
aufbereiten: prepare | aufblähen: bloat | aufbrechen: break up | auffüllen: fill refill | aufgeben: give up
aufgreifen: pick up | aufheben: lift keep | aufhören: stop | aufklären: explain | auflisten: list
aufnehmen, aufnahme: record include | aufpassen: watch out | aufschieben: postpone | aufschreiben: write down note
aufsetzen: set up | aufspalten: split | aufstellen: set up | aufsuchen: visit | aufwachen: wake
aufwand: effort | aufwecken: wake | aufzeichnen, aufzeichnung: record recording | aufzeigen: show
auftraggeber: client | aufsicht: supervision | ausbauen: remove take out extend | ausbleiben: stay away
ausblenden: hide | ausdrucken: print | ausfallen, ausfall: fail outage down | ausfüllen: fill in
ausgehen: go out | ausgleichen: balance | aushandeln: negotiate | auskennen: know | auskommentieren: comment out
auslagern: move out split off outsource | auslassen: leave out skip | auslaufen: end expire
ausleihen: borrow | ausliefern, auslieferung: deploy deployment delivery | ausloggen: log out
ausmachen: agree turn off | ausmustern: retire | ausprobieren: try out | ausräumen: clear
ausreichen, reichen: enough sufficient | ausrichten: align | aussehen: look like | aussetzen: pause suspend
aussortieren: sort out discard throw out | aussprechen: pronounce | ausstehen: pending | aussteigen: drop out
ausstellen: issue | austauschen, austausch, auswechseln: exchange replace change rotate swap
austragen: remove unsubscribe | auswerten, auswertung: evaluate analyze analytics | auswirken, auswirkung: effect
ausweichen: fall back switch | auswerfen: eject | auszahlen, auszahlung: payout | auszeichnen: mark
bereitstehen: available | beilegen, beifügen: attach | beitreten: join | bekanntgeben: announce
durchfallen: fail | durchgehen: go through | durchlesen: read | durchreichen: pass through | durchsetzen: enforce
durchsuchen: search | einarbeiten, einarbeitung: onboarding | einbauen: build in add | einbeziehen: include
einbrechen: drop | einchecken: commit check in | eindringen: intrude | einfrieren, eingefroren: freeze frozen
einführen, einführung: introduce introduction | einfärben: color | eingehen: arrive incoming | eingrenzen: narrow
eingreifen: intervene | einhalten, einhaltung: comply keep | einholen: obtain get | einigen, einigung: agree settle
einkaufen, einkauf: purchase | einklappen: collapse | einladen, einladung: invite invitation | einlösen: redeem
einplanen: plan schedule | einpflegen: maintain enter | einreichen: submit | einrücken, eingerückt: indent
einsammeln: collect | einschleusen: inject | einschließen: include | einschränken, einschränkung: limit restrict
einsehen: view | einsetzen, einsatz: use | einsparen: save | einspielen: apply import load pull install
einsprechen: record | einspringen: step in | einsteigen, einstieg: start entry | einstufen: classify rank
einteilen: divide | eintragen: enter register | eintreten: occur | eintreffen: arrive | einwilligen: consent
einziehen: collect | fehlversuch: failed attempt | feststellen: notice determine | festhalten: record note write down
festschreiben: commit fix | festsetzen: set | freihalten: keep free | fortführen: continue
herausfinden: find out | herausgeben: publish release | herausholen: extract | herausnehmen, rausnehmen: take out remove
herstellen: establish make | herunterladen: download | herunterskalieren: scale down
hinweisen: point out | hinzukommen: add | hinzuziehen: consult | hochfahren: start boot | hochskalieren: scale up
hochstufen: promote | mitbringen: bring | mitteilen, mitteilung: notify message | mitwirken: contribute
nachbessern: rework | nachfragen, rückfrage: ask question | nachholen: catch up | nachschauen, nachschlagen: look up
nachsehen: check | nachverfolgen: track | nachweisen, nachweis: proof verify | offenlegen: disclose
schiefgehen, schiefgeht: go wrong fail | stattfinden: take place | stilllegen: shut down | teilnehmen: attend join
übereinstimmen: match | überführen: transfer | übernehmen, übernahme: take over adopt | überlassen: leave
überlaufen: overflow | überarbeiten: revise | umbauen, umbau: rebuild refactor | umfassen: include
umfrage: survey | umkehren: reverse | umleiten: redirect | umrechnen: convert | umschalten: switch toggle
umschreiben: rewrite | umsetzen, umsetzung: implement implementation | umsteigen, umstieg: switch migrate
umziehen: move migrate | umwandeln: convert | unterbringen: house store | unterschreiben, unterschrift: sign signature
unterliegen: subject | untersagen: forbid | untersuchen, untersuchung: investigate
vorbereiten, vorbereitung: prepare preparation | vorgehen: proceed approach | vorkommen: occur
vorlegen: present submit | vormerken: schedule | vornehmen: make | vorschlagen, vorschlag: propose suggestion
vorschreiben, vorschrift: prescribe rule | vorsehen: plan | vorstellen, vorstellung: present introduce
vorziehen: prefer | vorweisen: show | wegfallen: dropped | weggeben: give away | wegwerfen: throw away discard
weitergeben: pass on share | weitermachen: continue | weiterverwenden: reuse
weiterblättern, blättern: page pagination
wiederkommen: return | wiederfinden: find | zulegen: get | zunehmen: increase | zusagen, zusicherung: promise guarantee
zusammenarbeiten: collaborate | zusammenbauen: assemble | zusammenhängen: related | zusammensetzen: compose consist
zusammenstellen: put together compile | zusammenlegen: merge | zurückgreifen: fall back | zurückhalten: hold back
zurückkommen: return | zurücknehmen: revert withdraw | zurückspielen: restore roll back | zurückstellen: postpone
zurückziehen: withdraw | zustimmen: agree approve | zustellen, zustellung: deliver delivery
bedenken, beachten: consider mind | befinden: located | befüllen: fill | befolgen: follow | begründen: justify
bekommen, kriegen: get receive | beliefern: supply | bemerken: notice | beraten, beratung: advise
beschaffen: get | beschließen, beschluss, beschlossen: decide decision | besitzen: own | besprechen: discuss
bestehen, besteht: consist exist | bestellen: order | betreuen: look after | bewerten, bewertung: rate review
beziehen: get obtain | bewerber, bewerbung: applicant application | blicken: look | brauchen, braucht: need
brechen: break | bringen: bring | bremsen: slow down | dauern, dauert: take last | denken: think
deklarieren: declare | drehen: rotate turn | erfahren: learn | erfassen: record capture | erinnern: remind
erledigen: do complete | erneuern: renew | eröffnen: open | erreichen: reach | erscheinen: appear | ersparen: save
erzwingen: force enforce | extrahieren: extract | fangen: catch | fassen: hold | fallen: fall drop | fehlen: missing
fließen: flow | formulieren: phrase word | fragen: ask | freuen: glad | frieren: freeze | führen: lead
füllen, gefüllt: fill | geben: give | gehören, gehört: belong | gelten, gültig: valid apply | genehmigen: approve
genehmigung: approval | genügen: suffice | gewähren: grant | gestalten: design | gründen: found | haften: liable
halten: keep hold | handhaben: handle | heilen: heal | heißen: named called | hosten: host
implementieren: implement | informieren: inform | kaufen: buy | kennen: know | kodieren: encode
kommunizieren: communicate | kümmern: look after responsible | kündigen, kündigung: cancel terminate
landen: end up | lagern, lagerung: store | leeren: empty wipe clear | legen: put place | leisten: afford
leiten: lead route | lernen: learn | liegen: located stored | mahnen, mahnung: reminder | malen: paint
melden: report | mieten, miete: rent | mischen: mix | möglich: possible | nachts, nächtlich, nacht: night nightly
nehmen: take | nennen: name | nötig: necessary | nutzen: use | ordnen: order | packen: pack | pausieren: pause
pinnen: pin | probieren: try | raten: guess | räumen: clear | reagieren: react respond | rechnen: calculate
reden, sprechen: talk speak | reisen: travel | reparieren: repair fix | retten: rescue | rollen: roll
rufen: call | sagen: say | schaffen: create manage | schalten: switch | schätzen, schätzung: estimate
schauen, sehen: see look | scheuen: avoid | schlafen: sleep | schneiden: cut | schrumpfen: shrink
schulen, schulung: training | sinken: fall drop | sparen: save | spielen: play | spiegeln: mirror
springen: jump | stammen: come from | stecken: put | steigen: rise increase | stehen: stand stated
stören, störung: disturb incident outage | streichen: delete remove | tauschen: swap exchange | tragen: carry
treffen: meet | treten: occur | üben: practice | validieren: validate | verarbeiten: process
verantworten, verantwortung: responsible | verbessern, verbesserung: improve | verbleiben: remain
verdienen: earn | vereinbaren, vereinbarung: agree agreement | verfügen: have | verkaufen, verkauf: sell sales
verkleinern: shrink resize reduce | vergrößern: enlarge | verlangen: require demand | verlassen: leave
verlängern, verlängerung: extend renew | verlegen: move | vermissen: miss | vermuten: suspect
verpacken: package | verraten: reveal leak | verringern: reduce | verschicken: send | verschwinden: disappear
versehen: provide | versionieren, versionierung: version versioning | verstehen, verständnis: understand
verstoßen: violate | verstecken: hide | vertragen: tolerate | vertreten, vertretung: substitute represent
verwechseln: confuse | verweigern: refuse | verwirklichen: implement | verzichten: do without
wachsen: grow | wecken: wake | weigern: refuse | weitergehen: continue | werben, werbung: advertising
widerrufen, widerruf: revoke revocation | wissen: know | wohnen: live | wünschen: wish | zahlen, bezahlen: pay
zeigen: show | ziehen: pull move | zwingen: force | überfordern: overload | überraschen: surprise
abteilung: department | aktuell, derzeit, momentan: current currently | alarmieren, alarmierung: alert alarm
ablaufdatum: expiry date | ablauffrist, frist: deadline | absender: sender | akte: file
änderungswunsch: change request
ansatz: approach | anteil: share percentage | anweisungen: instructions | arbeit, arbeiten: work
arbeitstag, werktag: working day | artikel: article | aussage: statement | auszug: excerpt | bestand: stock inventory
betrag: amount | betroffen: affected | beweis: proof | bewertungen: ratings | bildgröße: image size | blatt: sheet
buchen, buchung: booking | büro: office | chef: boss | deckung: coverage | dienstag: tuesday
dienste: services | donnerstag: thursday | freitag: friday | montag: monday | mittwoch: wednesday
samstag, sonnabend: saturday | sonntag: sunday | täglich: daily | wöchentlich, woche: weekly week
monat, monatlich: month monthly | jahr, jährlich: year yearly | stunde, stündlich: hour hourly
sekunde: second | uhr, uhrzeit: time clock | zeitpunkt: time | dauer: duration | quartal: quarter
eingang: input inbox | erstattung, rückerstattung: refund | farbschema: color scheme | fassung: version
firma, unternehmen: company | forschung: research | führung: lead | gast: guest | geburtstag, geburtsdatum: birthday
gehalt: salary | geld: money | genau: exact | geschäft: business shop | gesetz: law | gespräch: conversation
gesundheit: health | einzelhändler: merchant | handbuch: manual | hauptversion: major version | haus: house
herkunft: origin | hersteller: vendor | inhaber: owner | interessent: prospect | karte: card map | klammer: bracket
koordinieren: coordinate | kollege, kollegin, kollegen: colleague | krank: sick | kunden: customers
kundendienst: customer service | leiter, leitung: lead manager | lieferant: supplier | mahngebühr: late fee
maschine: machine | maßeinheit, einheit: unit | mitarbeiter, beschäftigte: employee staff | mittel: means
neu, neue: new | alte, alten: old | offen: open | geschützt: protected | öffentlichkeit: public | ort: place location
personenbezogen, personendaten: personal data | pflichtfeld: required field | postfach: mailbox | prozent: percent
rabatt: discount gutschein | gutschein: voucher | raum: room | rücksendung, retoure: return | schaden: damage
schadensfall, vorfall, zwischenfall: incident | schein: note | schuld: fault | schwer: hard heavy | datenstand: status
standort: location site | stapel: batch stack | stelle: place | steuer, steuern: tax | steuerberechnung: tax calculation
stimme: voice vote | straße: street | tage, tagen: day | tarif: plan tariff | technik: technology
telefon, telefonnummer: phone | termin: appointment date | testumgebung: staging test environment | thema: topic
überblick, übersicht: overview | übung: exercise | unterlagen: documents | urlaub: vacation | verein: association
verfasser: author | verkehr: traffic | verlauf: history | versand: shipping | versicherung: insurance
vertrag: contract | vertraulich: confidential | vertrieb: sales | verwendungszweck: purpose | verzug: delay
vorname: first name | nachname: last name | vorrang: precedence | wichtig: important | widerspruch: objection conflict
wissenswert: worth knowing | wunsch: wish | zeit: time | zusatz: addition | zusätzlich: additional | zweck: purpose
gering, klein: small | groß, größte: large | hoch: high | niedrig: low | tief, tiefe: deep depth | kurz: short
breit, breite: width | höhe: height amount | gewicht: weight | häufig, häufigkeit: frequent frequency | selten: rare
schnell: fast quick | spät: late | früh: early | richtig: right correct | ähnlich: similar | gleich: same equal
verschieden, unterschiedlich: different | gesamt: total | einfach: simple | schwierig: difficult | freiwillig: optional
instabil, flackernd, wackelig: flaky unstable | beispieldaten, testdaten: sample data test data
auslagerung: outsourcing | neuaufbau: rebuild | suchindex: search index | anweisungsliste: playbook
rückgabefrist: return period | ladezeit: page load time | seitenaufbau: page load | wechselkurs: exchange rate
formular: form | konsole: console terminal command line | kommando: command | kalender: calendar
deinstallieren, deinstallation: uninstall remove | modus: mode | besucher: visitor | kategorie: category
menüpunkt: menu item | redakteur: editor | absatz: paragraph | manuell: manual | skalieren: scale resize
synchronisieren: synchronize | gecacht, cachen: cache cached
"""
