"""Orders in other languages to hide something from the person one works for, and to any model that reads them."""

from typing import Final

from memory_layer.domain.safety.suspicious_pattern import SuspiciousPattern, form, phrase

_FEW: Final = r"(?: \w{1,16}){0,2}"

_HIDES: Final = phrase(
    r"(?:sag|sage|sagt|erzähl|erzähle|verrate)(?: (?:dem|der|den))? (?:be)?nutzer\w{0,2}"
    r" (?:davon |darüber )?(?:nichts|kein wort)",
    r"ohne (?:es )?(?:dem|den|der) (?:be)?nutzer\w{0,2} (?:\w{1,12} )?zu (?:sagen|informieren|melden|erwähnen)",
    rf"ne (?:le |lui )?(?:dis|dites|parle|parlez|mentionne|mentionnez) (?:rien|pas){_FEW} (?:à l |aux )utilisateurs?",
    rf"no (?:se lo |le )?(?:digas|diga|cuentes|cuente|menciones|mencione){_FEW} (?:al|a la|a los) usuari\w{{1,2}}",
    rf"non (?:dire|dirlo|raccontare|raccontarlo|menzionare){_FEW} (?:all |al |agli )utent\w",
    rf"não (?:conte|contes|diga|digas|fale|mencione){_FEW} (?:ao|para o|aos) (?:usuário|utilizador)(?:es|s)?",
    rf"(?:zeg|vertel) (?:hier )?(?:niets|niks|het niet|hier niets){_FEW} (?:tegen|aan) de gebruikers?",
    r"не (?:говори|сообщай|рассказывай)(?:те)?(?: \w{1,12})? пользовател\w{1,2}",
    rf"nie (?:mów|mówcie|wspominaj){_FEW} użytkownik\w{{1,4}}",
    rf"berätta inte{_FEW} för användaren",
)
_HIDES_WITHOUT_BLANKS: Final = form(
    r"(?:不要|别|別|勿)(?:告诉|告訴|告知|让|讓|通知)(?:任何)?(?:用户|用戶|使用者|人类)",
    r"(?:ユーザー?|利用者)に(?:は|も)?(?:言わ|知らせ|伝え|教え)(?:ずに|ないで|るな)",
    r"사용자에게(?:는)? ?(?:말하지|알리지|언급하지)",
)
_ADDRESSES: Final = phrase(
    r"(?:ki|assistent|agent|sprachmodell)\w{0,2} (?:der|die|das) (?:das|dies|dieses) (?:hier )?(?:liest|lesen)",
    r"(?:ia|assistant|agent|modèle) qui (?:lit|lisez|lira) (?:ceci|cela|ce texte)",
    r"(?:ia|asistente|agente|modelo) que (?:lee|lea|lees|leas) (?:esto|este texto)",
    r"(?:ia|assistente|agente|modello) che (?:legge|legga) (?:questo|questo testo)",
)

SECRECY_SHAPES: tuple[SuspiciousPattern, ...] = (
    SuspiciousPattern(
        "asks to hide something from a person",
        _HIDES,
        hints=(
            "nutzer",
            "utilisateur",
            "usuari",
            "utent",
            "usuário",
            "utilizador",
            "gebruiker",
            "польз",
            "użytk",
            "använd",
        ),
    ),
    SuspiciousPattern(
        "asks to hide something from a person",
        _HIDES_WITHOUT_BLANKS,
        hints=("用", "使用者", "人类", "ユーザ", "利用者", "사용자"),
    ),
    SuspiciousPattern(
        "addresses the model and not the project",
        _ADDRESSES,
        hints=("liest", "lesen", "ceci", "cela", "texte", "esto", "questo", "texto", "testo"),
    ),
)
