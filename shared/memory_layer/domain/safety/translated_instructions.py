"""Patterns of the classic "ignore all previous instructions" in the other languages that models read as well."""

from memory_layer.domain.safety.suspicious_pattern import SuspiciousPattern, form, phrase

_UP_TO_3 = r"(?: \w{1,24}){0,3}"
_NOT_NEGATED = r"(?<!\bno\W)(?<!\bnicht\W)(?<!\bpas\W)(?<!\bnon\W)(?<!\bnão\W)(?<!\bnunca\W)"

_NOT_NEGATED_IN_RUSSIAN = r"(?<!\bне\W)"  # noqa: RUF001

_GERMAN = (
    r"(?:beachte(?:t|n)? (?:\w{1,12} )?(?:nicht|keine)(?: mehr)?|ignorier(?:e|t|en)?"
    r"|missacht(?:e|et|en)|vergiss|vergesst|vergessen|verwirf|verwerfen)(?: sie)?"
    rf"(?! nicht| nie){_UP_TO_3} (?:vorherig|vorangegangen|vorangehend|bisherig|früher|obig|vorig|vorstehend"
    r"|ursprünglich)\w{0,3}(?: \w{1,24})? (?:an|unter|ein)?(?:weisung|instruktion|vorgabe|regel|befehl|anordnung"
    r"|richtlinie|prompt)\w{0,2}",
    r"(?:beachte(?:t|n)?|befolge(?:t|n)?|folge(?:t|n)?) (?:\w{1,12} ){0,2}"
    r"(?:vorherig|bisherig|früher|obig|vorig|ursprünglich|alt)\w{0,3}"
    r" (?:an|unter|ein)?(?:weisung|instruktion|vorgabe|regel|befehl|anordnung|richtlinie)\w{0,2}"
    r" (?:nicht|nie|keinesfalls) (?:mehr|länger)",
)
_FRENCH_ORDERS = r"(?:instruction|consigne|directive|règle|ordre|commande)s?"
_FRENCH_EARLIER = r"(?:pr[ée]c[ée]dente?|ant[ée]rieure?|ci dessus|initiale?|d origine)s?"
_FRENCH_DROP = (
    r"(?:ignore[rz]?|oublie[rz]?|fai(?:s|tes) abstraction des?"
    r"|ne t(?:en(?:ez|ir|ons)|iens) (?:pas|plus|aucun) compte des?)"
    r"(?! pas| jamais)"
)
_FRENCH = (
    rf"{_FRENCH_DROP}{_UP_TO_3} {_FRENCH_ORDERS}(?: \w{{1,24}})? {_FRENCH_EARLIER}",
    rf"{_FRENCH_DROP}{_UP_TO_3} {_FRENCH_EARLIER} {_FRENCH_ORDERS}",
)
_SPANISH = (
    r"(?:ignor(?:a|e|ad|en|ar)|olvid(?:a|e|ad|en|ar)|desestim(?:a|e|ar)"
    r"|haz caso omiso de|no (?:hagas|tengas en) (?:caso|cuenta)(?: (?:a|de))?)"
    rf"{_UP_TO_3} (?:instrucci[oó]n|indicaci[oó]n|[oó]rden|directiv|directri|reglas?|normas?)\w{{0,3}}"
    r"(?: \w{1,24})? (?:anterior|previ|precedent|inicial|original|de arriba)\w{0,3}"
)
_PORTUGUESE = (
    r"(?:ignor(?:e|a|em|ar)|esque[cç](?:a|am|er)|desconsider(?:e|a|em|ar)|desprez(?:e|ar))"
    rf"{_UP_TO_3} (?:instru[cç](?:[oõ]es|[aã]o)|orienta[cç][oõ]es|ordens|diretrizes|regras|comandos)"
    r"(?: \w{1,24})? (?:anterior|pr[eé]vi|precedent|inicia|origina|acima)\w{0,3}"
)
_ITALIAN_DROP = (
    r"(?:ignora(?:te|re)?|dimentica(?:te|re)?|non (?:considerare|seguire|tenere conto del(?:le|la|l)?)"
    r"|tralascia(?:te|re)?)"
)
_ITALIAN_ORDERS = r"(?:istruzion|indicazion|direttiv|regol|ordin|comand)\w{1,2}"
_ITALIAN = (
    rf"{_ITALIAN_DROP}{_UP_TO_3} {_ITALIAN_ORDERS}(?: \w{{1,24}})?"
    r" (?:precedent|anterior|inizial|original|(?:qui |di cui )?sopra)\w{0,2}",
    rf"{_ITALIAN_DROP}{_UP_TO_3} (?:precedent|anterior)i {_ITALIAN_ORDERS}",
)
_RUSSIAN_ORDERS = r"(?:инструкци|указани|команд|правил|приказ|распоряжени|промпт)\w{0,3}"
_RUSSIAN_DROP = r"(?:про)?(?:игнориру(?:й|йте|ем)|забудь(?:те)?|не обращай(?:те)? внимания на|отбрось(?:те)?)"
_RUSSIAN = (
    rf"{_RUSSIAN_DROP}{_UP_TO_3} (?:предыдущ|прежн|прошл|вышеуказанн|изначальн|исходн)\w{{1,3}}"
    rf"(?: \w{{1,24}})? {_RUSSIAN_ORDERS}",
    rf"{_RUSSIAN_DROP}{_UP_TO_3} {_RUSSIAN_ORDERS} (?:выше|ранее)",
)
_CHINESE = (
    r"(?<!不要)(?<!不能)(?<!不得)(?<!勿)(?:忽略|忽视|忽視|无视|無視|忘记|忘記|忘掉|不要理会|抛开)[^。!?\n]{0,8}?"
    r"(?:之前|以前|先前|前面|上面|以上|上述|此前|原来|原先|过去|過去)[^。!?\n]{0,6}?"
    r"(?:指令|指示|指引|提示词|命令|规则|規則)"
)
_JAPANESE = (
    r"(?:これまで|今まで|以前|前の|上記|先の|先ほど|以上|従来|すべて|全て|全部)[^。!?\n]{0,10}?"
    r"(?:指示|命令|指令|ルール|規則|プロンプト)[^。!?\n]{0,4}?(?:無視(?!しな|しま)|忘れ(?!な)|破棄|従わな)"
)

TRANSLATED_SHAPES: tuple[SuspiciousPattern, ...] = (
    SuspiciousPattern(
        "tells the reader to drop its instructions",
        phrase(
            *(f"{_NOT_NEGATED}{order}" for order in (*_GERMAN, *_FRENCH, _SPANISH, _PORTUGUESE, *_ITALIAN))
        ),
        hints=(
            *("ignor", "missacht", "vergiss", "vergess", "verw", "oublie", "abstraction", "compte", "olvid"),
            *("desestim", "caso", "esque", "desconsider", "desprez", "dimentica", "considerare", "seguire"),
            *("tralascia", "tenere conto", "beachte", "folge", "cuenta"),
        ),
    ),
    SuspiciousPattern(
        "tells the reader to drop its instructions",
        phrase(*(f"{_NOT_NEGATED_IN_RUSSIAN}{order}" for order in _RUSSIAN)),
        hints=("игнориру", "забудь", "внимания", "отбрось"),
    ),
    SuspiciousPattern(
        "tells the reader to drop its instructions",
        form(_CHINESE, _JAPANESE),
        hints=("忽", "无视", "無視", "忘", "不要理会", "抛开", "破棄", "従わな"),
    ),
)
