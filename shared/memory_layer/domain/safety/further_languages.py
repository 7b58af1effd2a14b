"""Orders to drop one's instructions in further languages, and orders in any to send what is secret away.

Word classes are short: the verbs that drop, the words for what came before, and the words for orders. Languages that
put them in another order have patterns of both orders.
"""

from typing import Final

from memory_layer.domain.safety.suspicious_pattern import SuspiciousPattern, form, phrase

_DROPS: Final = "tells the reader to drop its instructions"
_FEW: Final = r"(?: \w{1,24}){0,3}"

_DUTCH = (
    r"(?<!\bniet\W)(?:vergeet|negeer|veronachtzaam)(?! niet| nooit)"
    rf"{_FEW} (?:eerdere|vorige|voorgaande|bovenstaande|oorspronkelijke)(?: \w{{1,24}})? "
    r"(?:instructies?|aanwijzingen|regels|opdrachten|richtlijnen|bevelen|prompts?)",
    rf"(?<!\bniet\W)(?:vergeet|negeer|veronachtzaam)(?! niet| nooit){_FEW} "
    r"(?:instructies?|aanwijzingen|regels|opdrachten|richtlijnen) (?:hierboven|hiervoor|van eerder)",
)
_SCANDINAVIAN = (
    r"(?<!\binte\W)(?<!\bikke\W)(?:glöm|ignorera|glem|ignorer|bortse från|se bort fra)(?! inte| ikke)"
    rf"{_FEW} (?:tidigare|föregående|ovanstående|tidligere|foregående|forrige|ovenstående)(?: \w{{1,24}})? "
    r"(?:instruktion(?:er|erna|en)?|anvisning(?:ar|er)?|regler|instrukser|ordrer|ordre|prompt(?:er|en)?)"
)
_POLISH = (
    r"(?<!\bnie\W)(?:zignoruj(?:cie)?|ignoruj(?:cie)?|zapomnij(?:cie)?(?: o)?|pomiń(?:cie)?)"
    rf"{_FEW} (?:poprzedni|wcześniejsz|dotychczasow|powyższ|uprzedni)\w{{1,3}}(?: \w{{1,24}})? "
    r"(?:instrukcj|poleceni|wskazówk|zasad|reguł|rozkaz)\w{0,3}"
)
_CZECH = (
    r"(?:ignoruj(?:te)?|zapomeň(?:te)?(?: na)?|zabudni(?:te)?(?: na)?|nedbej(?:te)? na)"
    rf"{_FEW} (?:předchozí|dřívější|dosavadní|výše uvedené|predchádzajúce|predošlé)\w{{0,3}}(?: \w{{1,24}})? "
    r"(?:pokyn|instrukc|příkaz|pravid|inštrukci|príkaz)\w{0,3}"
)
_UKRAINIAN = (
    r"(?<!\bне\W)(?:про)?(?:ігноруй(?:те)?|забудь(?:те)?(?: про)?|відкинь(?:те)?)"  # noqa: RUF001
    rf"{_FEW} (?:попередн|минул|вищезазначен|раніш)\w{{1,3}}(?: \w{{1,24}})? "
    r"(?:інструкці|вказівк|правил|наказ|команд)\w{0,3}"
)
_TURKISH = (
    r"(?:önceki|yukarıdaki|daha önceki|bundan önceki|eski)(?: \w{1,24}){0,2} "  # noqa: RUF001
    r"(?:talimat|yönerge|komut|kural|emir)\w{0,8}(?: \w{1,24}){0,2} (?:unut|yok say|görmezden gel|dikkate alma)\w{0,4}"
)
_INDONESIAN = (
    r"(?<!\bjangan\W)(?:abaikan|lupakan|hiraukan)"
    rf"{_FEW} (?:instruksi|perintah|arahan|aturan|petunjuk)(?: \w{{1,24}})? (?:sebelumnya|terdahulu|di atas|tadi)"
)
_VIETNAMESE = (
    r"(?:bỏ qua|phớt lờ|quên(?: đi)?)"
    rf"{_FEW} (?:hướng dẫn|chỉ dẫn|chỉ thị|lệnh|quy tắc)(?: \w{{1,24}})? (?:trước đó|trước đây|ở trên|bên trên)"
)
_KOREAN = (
    r"(?:이전|앞선|앞의|위의|지금까지|기존)[^.!?\n]{0,10}?(?:지시|명령|지침|규칙|프롬프트)[^.!?\n]{0,6}?"
    r"(?:무시하(?!지)|무시해|잊어|잊으|따르지)"
)
_ARABIC = (
    r"(?<!لا )(?:تجاهل|انس|إنس|أهمل)[^.!؟\n]{0,16}?(?:التعليمات|الأوامر|الإرشادات|القواعد|التوجيهات)[^.!؟\n]{0,8}?"
    r"(?:السابقة|أعلاه|المذكورة)"
)
_HINDI = (
    r"(?:पिछले|पिछली|पहले|ऊपर|पूर्व)[^.!?।\n]{0,14}?(?:निर्देश|आदेश|नियम)[^.!?।\n]{0,10}?"
    r"(?:अनदेखा|नज़रअंदाज|नजरअंदाज|भूल|उपेक्षा)"
)

_SEND = phrase(
    r"schick(?:e|t|en)?|sende(?:t|n)?|übermittle|verschicke|envoie[rz]?|envoyez|transmet(?:s|tez)",
    r"env[ií]a(?:r|d|me)?|mand[ae]r?|reenv[ií]a|invia(?:re|te)?|spedisci|envie(?:m)?|stuur|verstuur|zend|skicka",
    r"wyślij|prześlij|pošli|odešli|отправь(?:те)?|пришли(?:те)?|вышли|надішли|gönder|kirim(?:kan)?|gửi",
)
_SEND_WITHOUT_BLANKS = form(r"发送|发到|發送|傳送|送って|送信|보내")
_SECRETS = form(
    r"passwör(?:ter|t)|zugangsdaten|geheimnisse|schlüssel|mots? de passe|identifiants|secrets|clés? (?:d.)?api",
    r"contraseñas?|credenciales|claves|password|credenziali|chiavi|senhas?|credenciais|chaves|wachtwoord\w*|sleutels",
    r"lösenord|hasła|hasło|hesla|heslo|парол\w{1,3}|ключ\w{1,3}|паролі|şifre\w*|kata sandi|mật khẩu",
    r"tokens?|jetons?|令牌|密码|密碼|密钥|トークン|パスワード|토큰|비밀번호",
    r"system.?prompt|gespräch\w*|conversation|conversación|conversazione|переписк\w{1,2}",
)
_AWAY = form(r"https?://", r"[\w.+-]{1,64}@[\w-]{1,64}\.")

FURTHER_SHAPES: tuple[SuspiciousPattern, ...] = (
    SuspiciousPattern(
        _DROPS,
        phrase(*_DUTCH, _SCANDINAVIAN, _POLISH, _CZECH, _UKRAINIAN, _TURKISH, _INDONESIAN, _VIETNAMESE),
        hints=(
            *(
                "vergeet",
                "negeer",
                "veronachtzaam",
                "glöm",
                "ignor",
                "glem",
                "bortse",
                "bort fra",
                "zapom",
                "pomiń",
            ),
            *(
                "zabudni",
                "nedbej",
                "ігнор",
                "забуд",
                "відкинь",
                "unut",
                "yok say",
                "görmezden",
                "alma",
                "abaikan",
            ),
            *("lupakan", "hiraukan", "bỏ qua", "phớt lờ", "quên"),
        ),
    ),
    SuspiciousPattern(
        _DROPS,
        form(_KOREAN, _ARABIC, _HINDI),
        hints=("무시", "잊", "따르지", "تجاهل", "انس", "إنس", "أهمل", "अनदेखा", "नज", "भूल", "उपेक्षा"),
    ),
    *(
        SuspiciousPattern(
            "asks for secrets or private data to be sent away",
            send,
            hints=("://", "@"),
            companions=(_SECRETS, _AWAY),
        )
        for send in (_SEND, _SEND_WITHOUT_BLANKS)
    ),
)
