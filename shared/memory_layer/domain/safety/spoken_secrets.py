"""Recognisers of secrets that people tell in sentences: "the password for staging is …"; most in English and German."""

import re
from collections.abc import Iterator

from memory_layer.domain.safety.credentials import kind_of
from memory_layer.domain.safety.secret_spans import SECRET, SecretSpan
from memory_layer.domain.safety.secret_values import (
    NamedValue,
    is_clearly_secret,
    is_mixed,
    is_signed,
    is_stand_in,
    looks_generated,
)

_NAME = (
    r"(?P<name>pass(?:word|wort|wörter|phrase|code|wd)|kennw(?:ort|örter)|zugangscode|pwd"
    r"|(?<![a-zäöü])(?:pw|pin(?:[- ]?code)?)|(?:zugriffs)?token|secret|geheimnis|api[-_ ]?(?:key|schlüssel|schluessel)"
    r"|(?:access|secret|private|signing|encryption|license|master|geheim|zugriffs|lizenz)"
    r"[-_ ]?(?:key|schlüssel|schluessel))"
)
_PASSWORD = r"(?P<name>pass(?:word|wort|phrase|code|wd)|kennwort|pwd|(?<![a-zäöü])pw)(?![A-Za-zäöü])"
_OF = r"(?:(?!\s{0,8}\n\s{0,8}value:)\s{1,8}(?!(?:is|was|ist|war|lautet)\b)[\w@./&'()-]{1,40}){0,6}"
"""What a secret is for, at most six words; a line that begins with `value:` is a field of its own (`named_pairs`)."""

_VALUE = r"(?P<quote>[\"'`„“»]{1,2})?(?P<secret>(?(quote)[^\s\"'`“”«]{4,256}|[^\s\"'`,;()<>|]{4,256}))"
_SAID = re.compile(
    rf"(?i)(?=[aegklmpstz]){_NAME}(?![A-Za-zäöü]){_OF}"
    r"(?:\s{1,4}(?:is|was|are|ist|war|=|(?P<reads>lautet|lauten|reads))"
    r"(?:\s{1,2}(?:now|still|currently|jetzt|nun|noch|set to))?"
    rf"\s{{0,2}}:?\s{{1,4}}|\s{{0,2}}[:=]\s{{1,4}}){_VALUE}"
)
_WITH = re.compile(
    rf"(?i)\b(?:with|using|use|mit|und|and)\s{{1,3}}(?:(?:the|a|dem|der|das)\s{{1,3}})?{_NAME}\s{{1,8}}{_VALUE}"
)
_SET = re.compile(
    rf"(?i)(?=[kp]){_PASSWORD}{_OF}\s{{1,4}}(?:(?:was|is|been|got)\s{{1,4}})?(?:(?:re)?set\s{{1,4}}to|changed\s{{1,4}}to|will\s{{1,4}}be|hei(?:ß|ss)t)\s{{1,4}}{_VALUE}"
)
_SET_TO = re.compile(
    rf"(?i)\b(?:(?:re)?set|change[ds]?)(?:\s{{1,4}}[\w'-]{{1,24}}){{0,4}}?\s{{1,4}}{_PASSWORD}{_OF}\s{{1,4}}to\s{{1,4}}{_VALUE}"
)
_SET_GERMAN = re.compile(
    rf"(?i)(?=[kp]){_PASSWORD}{_OF}\s{{1,4}}auf\s{{1,4}}{_VALUE}(?=[\"'`“”«]?\s{{1,4}}(?:um|zurück)?ge(?:setzt|ändert|stellt))"
)
"""Passwords that somebody sets: "we set the password to …", "das Kennwort haben wir auf … gesetzt"."""

_BESIDE = re.compile(
    rf"(?i)(?:\b(?:user(?:name)?|log-?in|account|benutzer(?:name)?|konto)\b[^\n]{{1,64}}?[\s,;]\s{{0,3}}{_PASSWORD}"
    rf"|@[\w.-]{{1,64}},\s{{1,3}}(?P<short>pass(?:word)?))\s{{0,2}}[:=]?\s{{1,3}}{_VALUE}"
)
"""Passwords behind the name of a user, without a word between."""

_USED_AS = re.compile(
    rf"(?i)(?P<quote>[\"'`„“»])(?P<secret>[^\s\"'`“”«]{{4,256}})[\"'`“”«]\s{{1,3}}(?:as|als)"
    rf"(?:\s{{1,3}}[a-zäöü]{{1,16}}){{0,2}}\s{{1,3}}{_PASSWORD}"
)
_OF_IT = r"(?:\s{1,8}(?:[\w@&'()-]|[./](?=\w)){1,40}){0,6}?"
"""The same within one sentence."""

_CLAUSE_ENDS = (
    r"(?=[\"'`“”«]?(?:[.,;:!?)]*(?:\s*\Z|\n|[.,;:!?)]\s)"
    r"|\s{1,4}(?:until|till|for|on|in|at|by|from|now|today|tomorrow|please|and|or|so|but|since|because|as|again|everywhere"
    r"|after|before|instead|if|when|while|bis|für|auf|bei|ab|von|bitte|und|oder|aber|weil|damit|wenn|statt|dann|sein|ge\w{2,12}t|vereinbart)\b))"
)
"""Behind a value that stands alone: a word that goes on about it ("latin1 encodable") makes it a kind."""

_WISHED = re.compile(
    rf"(?i)(?=[kp]){_PASSWORD}{_OF_IT}\s{{1,4}}"
    rf"(?:(?:should|shall|must|would|could|may|might|ought\s{{1,4}}to"
    rf"|ha(?:s|d|ve)\s{{1,4}}to|needs?\s{{1,4}}to|(?:is\s{{1,4}})?to)"
    rf"\s{{1,4}}(?:(?:now|then|always|just)\s{{1,4}})?(?:be|read)(?:\s{{1,4}}set\s{{1,4}}to)?|becomes|remains|stays|bleibt|wird|würde)\s{{0,2}}:?\s{{1,4}}{_VALUE}{_CLAUSE_ENDS}"
)
_WISHED_GERMAN = re.compile(
    rf"(?i)(?=[kp]){_PASSWORD}{_OF_IT}\s{{1,4}}(?:soll(?:te)?|muss|müsste|dürfte|darf|kann|könnte|wird)"
    rf"(?:\s{{1,4}}(?:jetzt|nun|künftig|dann|bitte|einfach|immer|wieder)){{0,2}}"
    rf"\s{{1,4}}{_VALUE}(?=[\"'`“”«]?\s{{1,4}}(?:sein|lauten|hei(?:ß|ss)en|werden|bleiben)\b)"
)
_TURNED = re.compile(
    rf"(?i)(?=[kp]){_PASSWORD}{_OF_IT}\s{{1,4}}auf\s{{1,4}}{_VALUE}(?=[\"'`“”«]?\s{{1,4}}(?:zu(?:rück)?|um)?(?:zu|ge)?(?:setz|änder|stell)(?:en|t|n)\b)"
)
_MADE = re.compile(
    rf"(?i)\b(?:make|setze?|set|keep|leave|choose|pick)\s{{1,4}}(?:the|our|your|my|das|dein|unser)\s{{1,4}}"
    rf"(?:[\w-]{{1,24}}\s{{1,4}}){{0,3}}?{_PASSWORD}\s{{1,4}}(?:at\s{{1,4}}|as\s{{1,4}}|auf\s{{1,4}})?{_VALUE}{_CLAUSE_ENDS}"
)
_TAKEN = re.compile(
    rf"(?i)\b(?:use|using|take|try|with|nimm|nehmt|nehmen|nutze|nutzen|verwende|verwenden|mit)"
    rf"\s{{1,4}}{_VALUE}[\"'`“”«]?\s{{1,4}}(?:as|for|als)\s{{1,4}}(?:[a-zäöü]{{1,16}}\s{{1,4}}){{0,2}}{_PASSWORD}"
)
_TAKEN_GERMAN = re.compile(
    rf"(?i)\bals\s{{1,4}}(?:[a-zäöü]{{1,16}}\s{{1,4}}){{0,2}}{_PASSWORD}\s{{1,4}}(?:[a-zäöü]{{1,16}}\s{{1,4}}){{1,3}}{_VALUE}{_CLAUSE_ENDS}"
)
_BRACKETED = re.compile(rf"(?i)(?=[kp]){_PASSWORD}{_OF_IT}\s{{1,4}}\((?:[a-z]{{1,12}}:?\s{{1,4}})?{_VALUE}\)")
"""Passwords that somebody wants, chooses or names in brackets: "the password should be …", "nimm … als Passwort"."""

_CHOSEN = (_WISHED, _WISHED_GERMAN, _TURNED, _MADE, _TAKEN, _TAKEN_GERMAN, _BRACKETED)

_NAME_ELSEWHERE = (
    r"(?:(?P<name>mots?\s{1,2}de\s{1,2}passe|mdp|contrase[ñn]as?|senhas?|palavra-passe|wachtwoord(?:en)?|toegangscode"
    r"|has[lł][oa]|heslo|l[öo]senord(?:et)?|adgangskoden?|passordet|salasana|jelsz[óo]|m[ậa]t\s{1,2}kh[ẩa]u|kata\s{1,2}sandi"
    r"|парол[ьяюе]м?|κωδικός|كلمة\s{1,2}(?:المرور|السر)|पासवर्ड|password(?=[^.!?;:=\n]{0,80}\s(?:è|é|est?|är)\s))"
    r"|(?P<loose>clave|clé|jeton|parola(?:\s{1,2}d['\u2019]ordine)?|chiave|chave|klucz|ключ|токен|[şs]ifre(?:si)?|token))"
)
"""Names of passwords in other languages, and of keys, which are called so too where nothing is secret."""

_OF_ELSEWHERE = r"(?:\s{1,4}[^\s:=.!?;\"'`\[\](){}/]{1,32}){0,6}?"
_SAID_ELSEWHERE = re.compile(
    rf"(?i)(?<![^\W_]){_NAME_ELSEWHERE}(?![^\W_]){_OF_ELSEWHERE}"
    r"(?:\s{1,4}(?:est|es|è|é|e'|is|to|jest|это|är|er|on|je|là|adalah|είναι|هي|[\u2013\u2014-])"
    r"(?:\s{1,4}(?:désormais|maintenant|ahora|adesso|ora|agora|nu|teraz|теперь))?\s{0,2}:?\s{1,4}|[*_]{0,3}\s{0,2}[:=][*_]{0,3}\s{0,4}|(?P<direct>\s{1,4}(?=[^\s\d]{0,64}\d)))(?!//)"
    rf"{_VALUE}"
)
_SAID_WITHOUT_BLANKS = re.compile(
    r"(?P<name>密[码碼]|口令|パスワード|暗証番号|비밀번호|암호)[^\s!-~\u3001\u3002\uff0c\uff1a\uff1b]{0,12}?"
    r"\s{0,2}(?:[是为為はが은는:\uff1a=]|设为|改为)\s{0,2}(?P<quote>[\"'`「『“]{1,2})?(?P<secret>[!#-&(-+\--_a-~]{6,128})"
)
"""Passwords told in Chinese, Japanese and Korean, whose words stand without blanks."""

_PAIRED = re.compile(
    r"(?i)\b(?:credentials?|creds|log-?ins?(?:[- ]?daten)?|accounts?|zugang(?:sdaten)?|anmeldedaten"
    r"|user\s?/\s?pass(?:word)?)\b[^\n:=/]{0,60}[:=]\s{0,8}[\"'`]?[\w.@+-]{1,64}[\"'`]?\s{0,3}[/:|,]\s{0,8}[\"'`]?(?P<secret>[^\s\"'`,;|/<>]{6,128})"
)
_HINTS = (
    *(
        "passw",
        "passp",
        "passc",
        "pwd",
        ", pass ",
        "pw ",
        "pw:",
        "kennw",
        "zugang",
        "key",
        "schl",
        "token",
        "secret",
        "geheim",
    ),
    *("pin ", "pin:", "pin-", "pincode"),
)
_HINTS_ELSEWHERE = (
    *(
        "de passe",
        "mdp",
        "contrase",
        "senha",
        "palavra-passe",
        "wachtwoord",
        "toegangscode",
        "hasł",
        "haslo",
        "hasła",
    ),
    *(
        "heslo",
        "ösenord",
        "losenord",
        "adgangskode",
        "passordet",
        "salasana",
        "jelsz",
        "kh\u1ea9u",
        "kata sandi",
        "парол",
    ),
    *(
        "κωδικός",
        "كلمة",
        "पासवर्ड",
        "password",
        "token",
        "clave",
        "clé",
        "jeton",
        "parola",
        "chiave",
        "chave",
        "klucz",
    ),
    *("ключ", "токен", "şifre", "sifre"),
)
_HINTS_WITHOUT_BLANKS = ("密码", "密碼", "口令", "パスワード", "暗証番号", "비밀번호", "암호")
_PAIR_HINTS = ("cred", "login", "log-in", "account", "zugang", "anmelde", "user")


def spoken_secrets(text: str) -> Iterator[SecretSpan]:
    """Finds values that a sentence calls a password, a key or a token, with words between the two."""
    lowered = text.lower()
    if any(map(lowered.__contains__, _HINTS)):
        for pattern in (_SAID, _WITH):
            yield from _told(pattern, text)
        for pattern in _CHOSEN:
            yield from _generated(pattern, text)
        for pattern in (_SET, _SET_TO, _SET_GERMAN, _BESIDE, _USED_AS):
            yield from _strong(pattern, text)
    if any(map(lowered.__contains__, _HINTS_ELSEWHERE)):
        yield from _told_elsewhere(_SAID_ELSEWHERE, text)
    if any(map(text.__contains__, _HINTS_WITHOUT_BLANKS)):
        yield from _told_elsewhere(_SAID_WITHOUT_BLANKS, text)
    if any(map(lowered.__contains__, _PAIR_HINTS)):
        for match in _PAIRED.finditer(text):
            if looks_generated(match[SECRET]) and not is_stand_in(match[SECRET]):
                yield SecretSpan(*match.span(SECRET), "password")


def _strong(pattern: re.Pattern[str], text: str) -> Iterator[SecretSpan]:
    """Finds values in places where other words are common too, if they mix letters of both sizes, digits, and signs."""
    for match in pattern.finditer(text):
        value = match[SECRET].rstrip(".:!?*_,")
        if is_mixed(value) and _is_told(value, "password", match):
            start = match.start(SECRET)
            yield SecretSpan(start, start + len(match[SECRET].rstrip(".:*_,")), "password")


def _told_elsewhere(pattern: re.Pattern[str], text: str) -> Iterator[SecretSpan]:
    """Finds values that mix letters and digits; behind names of keys, or without a verb, with a sign."""
    for match in pattern.finditer(text):
        value = match[SECRET].rstrip(".:!?*_,")
        told = match.groupdict()
        is_likely = (is_signed if told.get("loose") or told.get("direct") else looks_generated)(value)
        if (
            is_likely
            and value.isascii()
            and not _RANGE.match(value)
            and is_clearly_secret(_in_prose(value, match))
        ):
            yield SecretSpan(match.start(SECRET), match.start(SECRET) + len(value), "password")


def _generated(pattern: re.Pattern[str], text: str) -> Iterator[SecretSpan]:
    """Finds values in places where sentences go on in any way, if they mix letters and digits as no word does."""
    for match in pattern.finditer(text):
        value = match[SECRET].rstrip(".:!?*_,")
        if looks_generated(value) and not _RANGE.match(value) and is_clearly_secret(_in_prose(value, match)):
            yield SecretSpan(match.start(SECRET), match.start(SECRET) + len(value), "password")


def _told(pattern: re.Pattern[str], text: str) -> Iterator[SecretSpan]:
    match = pattern.search(text)
    while match:
        secret = _judged(match)
        if secret:
            yield secret
        match = pattern.search(text, secret.end if secret else match.end("name"))


def _judged(match: re.Match[str]) -> SecretSpan | None:
    value, is_pin = match[SECRET].rstrip(".:!?*_"), match["name"].lower().startswith("pin")
    kind = "password" if is_pin else kind_of(match["name"])
    is_told = match.re is _SAID and _is_pin(value) if is_pin else _is_told(value, kind, match)
    start = match.start(SECRET)
    return SecretSpan(start, start + len(value), kind) if is_told else None


def _is_pin(value: str) -> bool:
    return value.isdigit() and 4 <= len(value) <= 8


_RANGE = re.compile(r"[A-Za-z]-[A-Za-z]|\d+(?:-\d+)?-?[a-z]{3,}(?:-[a-z]+)*\Z")
"""Characters that a password may have (a-z0-9), and how many (12-character-long)."""

_PREDICATE = re.compile(
    r"(?i).*(?:ed|en|ing|able|ible|al|ive|ory|ary|ous|ent|ant|ic|id|ful|less|ly|ty|ct|wn|rt|st|nt|xt|gt|ht|pt|zt|lich|bar|ig"
    r"|isch|th|ung|heit|keit|ion|ment|ness|word|key|token|wort|ere?)"
    r"|wrong|weak|strong|long|short|secure|same|plain|safe|clear|there|here|now|hash|yours|mine|unique|never|always|simple"
    r"|random|blank|dynamic|fine|okay|gone|back|open|false|true|null|none|stale|known|lost|free|rare|case|admin|root|user"
    r"|username|theirs|falsch|richtig|leer|kurz|sicher|gleich|dasselbe|wieder"
)
"""Words that are said of a password: required, wrong, verschlüsselt."""


def _is_word_for_one(value: str, match: re.Match[str]) -> bool:
    """Tests if a word that ends its clause is a password, and nothing that one says of a password."""
    rest = match.string[match.end(SECRET) : match.end(SECRET) + 1]
    ends = match[SECRET] != value or not rest or rest in ",;\n"
    return (
        match.re is _SAID and ends and len(value) >= 5 and value.isascii() and not _PREDICATE.fullmatch(value)
    )


def _is_told(value: str, kind: str, match: re.Match[str]) -> bool:
    """Tests if a value is a secret; a word is one only in quotes or after "lautet", which introduces nothing else."""
    groups = match.groupdict()
    if kind == "password" and value.isalpha() and not is_stand_in(value):
        return bool(groups["quote"] or groups.get("reads")) or _is_word_for_one(value, match)
    return is_clearly_secret(_in_prose(value, match, is_password=kind == "password"))


def _in_prose(value: str, match: re.Match[str], *, is_password: bool = True) -> NamedValue:
    return NamedValue(
        value,
        is_password=is_password,
        is_passphrase=False,
        is_quoted=bool(match["quote"]),
        is_prose=True,
        is_environment=False,
    )
