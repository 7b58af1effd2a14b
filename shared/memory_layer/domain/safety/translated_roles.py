"""Patterns of orders in other languages: to drop one's own rules, to take a new role, to tell or to hide something."""

from typing import Final

from memory_layer.domain.safety.suspicious_pattern import SuspiciousPattern, any_of, form, phrase

_NOT: Final = r"(?<!\bnicht\W)(?<!\bnie\W)(?<!\bne\W)(?<!\bno\W)(?<!\bnon\W)(?<!\bnunca\W)(?<!\bnão\W)"

_NOT_BEHIND: Final = r"(?!\s(?:bitte\s|auch\s|jetzt\s)?(?:nicht|nie|niemals)\b(?!\snur))"
_ENDS: Final = r"(?=\W{0,3}$|\s?[.!?,;:)\"'…–—]| (?:und|et|y|e|ed)\b)"
"""End of a clause: what has rules for something, or rules of a kind, goes on."""
_FORBIDDEN: Final = r"(?![^.!?\n]{0,48}\s(?:interdit|prohibid|proibid|vietat))"
_OF_SOMETHING: Final = r"(?! (?:de|del|di|do|da) (?!(?:segur|sécur|sicur|sist|syst|condu|conten|moder)))"
_NO_ARTICLE: Final = r"(?!\s{0,2}(?:l|l[ea]s?|los|el|il|lo|gli|i|os?|as?|une?|una|des)\b)"
_GERMAN_RULES: Final = (
    r"(?:(?:an|unter|ein)?weisung|instruktion|vorgabe|regel|befehl|richtlinie|anordnung|prompt)\w{0,3}"
)
_GERMAN_DROP: Final = (
    r"(?:ignorier(?:e|t|en)?|vergiss|vergesst|vergessen|missacht(?:e|et|en)|verwirf)(?: sie)?"
)
_GERMAN_DROPS: Final = (
    rf"{_GERMAN_DROP} (?:alle )?(?:deine|eure|ihre)[nr]?(?: \w{{1,24}})? {_GERMAN_RULES}",
    rf"{_GERMAN_DROP} (?:alles|alle {_GERMAN_RULES}) und (?:folge|gehorche|tue?|mach|befolge|antworte|sag)",
    r"(?:umgehe?|deaktivier(?:e|en)|ignorier(?:e|en)|schalte) (?:alle|deine|sämtliche)"
    r" (?:sicherheits|schutz|inhalts)(?:filter|mechanis|vorkehrung|richtlinie|regel|protokoll|maßnahme|schranke)\w{0,3}",  # noqa: E501
)
_FRENCH_RULES: Final = r"(?:instruction|consigne|directive|règle|ordre|commande|restriction|limite)s?"
_SPANISH_RULES: Final = (
    r"(?:instrucci[oó]n|indicaci[oó]n|[oó]rden|directiv|directri|regla|norma|restricci[oó]n)\w{0,3}"
)
_ITALIAN_RULES: Final = r"(?:istruzion|indicazion|direttiv|regol|ordin|restrizion)\w{1,2}"
_PORTUGUESE_RULES: Final = r"(?:instru[cç]|orienta[cç]|ordens|diretriz|regra|restri[cç])\w{0,4}"
_ROMANCE_DROPS: Final = (
    r"(?:ignore[rsz]?|oublie[rsz]?) (?:toutes )?(?:tes|vos)"
    rf"(?: \w{{1,16}})? {_FRENCH_RULES}",
    r"(?:ignore[rsz]?|oublie[rsz]?) (?:tout(?: ce qui)?(?: (?:précède|a été dit))|toutes? les"
    rf" {_FRENCH_RULES} (?:données|reçues|fournies))",
    r"(?:ignor|olvid)(?:a|e|ad|en|ar) (?:todas? )?(?:tus|sus|vuestras)"
    rf"(?: \w{{1,16}})? {_SPANISH_RULES}",
    r"(?:ignor|olvid)(?:a|e|ad|en|ar) (?:todo lo anterior|todos los mensajes)",
    rf"(?:ignor|dimentic)(?:a|are|ate) (?:tutte )?(?:le )?(?:tue|vostre)(?: \w{{1,16}})? {_ITALIAN_RULES}",
    rf"(?:ignor|esqueç|esquec|desconsider)(?:e|a|am|er) (?:todas )?(?:as )?(?:suas|tuas)(?: \w{{1,16}})?"
    rf" {_PORTUGUESE_RULES}",
)
_TOLD_PROMPT: Final = (
    r"(?:zeig|nenn|verrat|gib|sag|wiederhol|offenbar|enthüll)\w{0,2}(?: (?!nicht|nie)\w{1,12}){0,5}"
    r" (?:deine?[nrm]?|ihre?[nrm]?|dein|das|die (?:ursprünglich|ersten \w{1,12} dein)\w{0,3})(?: \w{1,16})?"
    r" (?:system ?prompt|systemprompt|systemanweisung|instruktion|anweisung)\w{0,3}",
    r"(?:révèle|montre|affiche|donne|dis|répète|dévoile)[rsz]?(?: moi)?(?: \w{1,12}){0,3} (?:ton|votre|tes|vos|le)"
    r" (?:(?:prompt|invite|message|instructions|consignes)(?: \w{1,12})? ?(?:syst[eè]me|initial\w{0,3}"
    r"|internes?|cach\w{1,3}))",
    r"(?:révèle|montre|affiche|donne|dévoile)[rsz]? ton système",
    r"(?:révélez|montrez|affichez|donnez|dites|répétez) (?:moi )?(?:ton|votre|vos|le) (?:prompt|invite)"
    r" (?:syst[eè]me|initiale?)",
    r"(?:revel|muestr|muéstr|mostr|d[ií]|repit|escrib)(?:a|ad|en|ar|e|elo|me|ame)(?:me)? (?:\w{1,12} ){0,3}"
    r"(?:tu|su|el|tus|sus) (?:(?:prompt|mensaje|instrucciones)(?: \w{1,12}){0,2} (?:sistema|inicial\w{0,2}))",
    r"(?:revela|muestra|muéstrame|dime|repite|dame|muestrame) (?:\w{1,12} ){0,2}tu (?:system )?(?:prompt|sistema)",
    r"(?:rivela|mostra|mostrami|dimmi|ripeti|scrivi)(?:mi)? (?:\w{1,12} ){0,3}(?:tuo|il|tue|le) (?:tuo |tue )?"
    r"(?:prompt (?:(?:di|del) sistema|iniziale)|istruzioni (?:di sistema|iniziali|interne))",
    r"(?:revele|mostre|mostra|diga|repita|exiba)(?:me)? (?:\w{1,12} ){0,3}(?:seu|teu|o|suas|as) (?:seu )?"
    r"(?:prompt(?: (?:do|de) sistema| inicial)|instruções (?:do sistema|iniciais|internas))",
)
_ROLES: Final = (
    r"du bist (?:jetzt|nun|ab (?:jetzt|sofort)|von nun an)(?: \w{1,16}){1,6}"
    r" (?:(?:ohne|keine) (?:regeln|einschränkungen|beschränkungen|filter)|ki|assistent(?: ohne)?|dan)",
    r"du bist (?:jetzt|nun|ab (?:jetzt|sofort)) (?:dan|unbeschränkt|uneingeschränkt)\w{0,2}",
    r"(?:aktivier|starte?|wechsl?e?)\w{0,2} (?:in )?(?:den|deinen|dem) (?:entwickler|admin|gott|dan) ?modus",
    r"tu so als (?:ob|wärst|hättest)(?: \w{1,12}){0,6} (?:regeln|einschränkungen|filter|beschränkungen)",
    r"(?:ab|von) (?:jetzt|sofort|nun)(?: an)? (?:antworte|gehorche|befolge|folge)(?:st du)? nur",
    r"(?:tu es|vous êtes) (?:maintenant|désormais|à présent)(?: \w{1,16}){0,5}"
    r" (?:sans (?:aucune )?(?:restriction|limite|filtre|règle)s?|dan|assistant|ia)",
    r"(?:ahora|a partir de ahora|desde ahora)(?: \w{1,12}){0,2} (?:eres|actúas|es usted|solo obedece\w{0,2}"
    r"|obedece\w{0,2})"
    r"(?: \w{1,16}){0,5} (?:sin (?:restricciones|límites|filtros|reglas)|dan|asistente|ia)",
    r"(?:ora|adesso|da ora in poi) (?:sei|agisci|rispondi|obbedisci)(?: \w{1,16}){0,5}"
    r" (?:senza (?:restrizioni|limiti|filtri|regole)|dan|assistente|ia)",
    r"(?:agora|a partir de agora)(?: \w{1,12}){0,2} (?:é|és|age|aja|responda|obedeça)(?: \w{1,16}){0,5}"
    r" (?:sem (?:restrições|limites|filtros|regras)|dan|assistente|ia)",
    r"(?:mode|modo|modalità|modus) (?:sans restrictions?|sin restricciones|sem restrições|senza restrizioni"
    r"|sans filtre"
    r"|desarrollador|développeur|sviluppatore) (?:activ|ativ|attiv|ist aktiv)\w{1,4}",
)
_YOUR_PROMPT: Final = (
    r"(?:dein|ihr|euer|eur)\w{0,3} (?:\w{1,16} )?(?:system ?prompt|systemanweisung)\w{0,2}",
    r"(?:ton|votre) (?:prompt|invite|message) (?:syst[eè]me|initiale?)",
    r"(?:tu|su|vuestro|seu|teu) prompt (?:de(?:l)?|do) sistema",
    r"(?:tuo|vostro) prompt (?:di|del) sistema",
    r"(?:versteckten?|verborgenen?|geheimen?) (?:system)?anweisungen",
    r"(?:tes|vos) instructions (?:cachées|secrètes|initiales|internes)",
    r"(?:tus|sus) instrucciones (?:ocultas|secretas|iniciales|internas)",
    r"(?:suas|tuas) instruções (?:ocultas|secretas|iniciais|internas)",
    r"(?:tue|vostre) istruzioni (?:nascoste|segrete|iniziali|interne)",
)
_NO_LIMITS: Final = (
    r"du hast (?:jetzt |nun |ab sofort |nicht mehr )?keine(?:rlei)? (?:einschränkung|beschränkung|regel"
    r"|grenze)\w{1,2}"
    rf"{_ENDS}",
    r"(?:vous n avez|tu n as) plus (?:de|aucune?)(?: \w{1,12})? (?:restriction|limite|règle|filtre)s?"
    rf"{_ENDS}",
    r"(?:ya |ahora )?no tienes (?:más |ninguna )?(?:restricciones|límites|reglas|filtros|restricción)"
    rf"{_ENDS}",
    r"(?:agora |já )?(?:você )?não tem (?:mais )?(?:nenhuma )?(?:restrições|limites|regras|filtros|restrição)"
    rf"{_ENDS}",
    r"(?:ora |adesso )?non hai (?:più )?(?:alcuna |nessuna )?(?:restrizion|limit|regol|filtr)\w"
    rf"{_ENDS}",
    r"als (?:administrator|admin|entwickler)(?:in)? (?:befehle|weise|ordne) ich (?:dir|dich|ihnen|an)",
    r"en tant qu (?:administrateur|admin)\w{0,3} je (?:vous|t|te) (?:ordonne|demande (?:de|d) "
    r"(?:supprim|ignor|désactiv|oubli|lev|révél|contourn|effac)\w{1,4})",
    r"como (?:administrador|admin)a? (?:te |lhe |eu )?(?:ordeno|ordeno te|exijo)",
    r"come amministratore (?:ti )?(?:ordino|comando)",
    r"(?:désactive[rsz]?|supprime[rsz]?) (?:tous |toutes )?les (?:protocoles|filtres|mesures|contrôles)"
    r" (?:de sécurité|de contenu)"
    rf"{_FORBIDDEN}",
    r"(?:desactiv|elimin)(?:a|e|en|ar) (?:todos |todas )?(?:los|las) (?:protocolos|filtros|medidas|controles)"
    rf" de (?:seguridad|contenido){_FORBIDDEN}",
    r"(?:desativ|remov)(?:a|e|ar|er) (?:todos |todas )?(?:os|as) (?:protocolos|filtros|medidas|controles) de"
    rf" segurança{_FORBIDDEN}",
    r"(?:disattiv|disabilit|rimuov)(?:a|i|are|ere) tutt[ie] (?:i|gli|le) (?:protocolli|filtri|misure|controlli)"
    rf" di sicurezza{_FORBIDDEN}",
    r"(?:annule[rsz]?|anul(?:a|e|en|ar)|cancel(?:a|e|en|ar)|annull(?:a|are|ate)) (?:toutes|todas|tutte) (?:les"
    r"|las|as|le)"
    r" (?:instru|consign|directi|istru|indica|regl|regol)\w{2,9}(?: \w{1,12})? (?:précéd|anterior|précedent"
    r"|precedent|previ)\w{0,5}",
)
_NEW_ORDERS: Final = form(
    r"(?:^|[.!?]\s|\n)\W{0,4}(?:neue|zusätzliche|geheime)\s(?:anweisung|instruktion|direktive)\w{0,2}\s?:"
    r"\s{0,2}(?:bitte\s)?(?!(?:all|dies|kein|neu|di|ein|jed)e\b)(?:\w{2,14}(?:e|iert|t)|gib|sag|lies|nimm|du|ignorier|antwort|lösch)\b",
    r"(?:^|[.!?]\s|\n)\W{0,4}nouvelles?\s(?:instruction|consigne|directive)s?(?:\s\w{1,12})?\s?:"
    rf"{_NO_ARTICLE}",
    r"(?:^|[.!?]\s|\n)\W{0,4}nuevas?\s(?:instrucci[oó]n|orden|directiva)(?:es|s)?\s?:"
    rf"{_NO_ARTICLE}",
    r"(?:^|[.!?]\s|\n)\W{0,4}nuov[ae]\s(?:istruzion|direttiv)\w\s?:"
    rf"{_NO_ARTICLE}",
    r"(?:^|[.!?]\s|\n)\W{0,4}nov[oa]s?\s(?:instruç|orden|diretriz)\w{0,4}\s?:"
    rf"{_NO_ARTICLE}",
    r"(?:^|\n)\W{0,4}system\s?:\s{0,2}(?:neue regeln|du bist|ignorier|vergiss|tu es|eres|ahora)",
)
_OTHER_SCRIPTS: Final = form(
    r"(?:сво\w{1,2}|тво\w{1,2})\s(?:\w{1,12}\s)?системн\w{2,3}\s(?:промпт|инструкци|подсказк)\w{0,2}",
    r"у\sтебя\s(?:больше\s)?нет\s(?:никаких\s)?(?:ограничений|правил)",  # noqa: RUF001
    r"отключи(?:те)?\s(?:все\s)?(?:фильтры|протоколы|меры|ограничения)\sбезопасности",  # noqa: RUF001
    r"как\sадминистратор\W{1,3}я\s(?:приказываю|требую)",  # noqa: RUF001
    r"你的(?:系统|系統|初始|隐藏)(?:提示|指令|提示词)|(?:隐藏|秘密)的?(?:系统)?指令",
    r"你(?:现在|不再|已经)(?:没有|有任何|不受)[^。!?\n]{0,4}限制",
    r"(?:删除|停用|禁用|关闭|移除|解除)(?:所有|全部|一切)(?:的)?(?:安全|内容)?(?:过滤器?|协议|限制|防护)[^。!?\n]{0,6}(?:回答|。|!|$)",
    r"作为管理员[^。!?\n]{0,3}我命令(?!行)",
    r"(?:忘记|忘掉)(?:你的|所有)(?:规则|指令|限制)|(?:忽略|无视)你的(?:规则|指令|限制)|忽略上[面述][^。!?\n]{0,4}内容",
    r"あなた(?:の|には?)(?:もう|今|は今)?(?:システムプロンプト|制限があり)",
    r"(?:すべて|全て|全部)の(?:セキュリティ|安全|以前の)[^。!?\n]{0,10}を(?:直ちに)?(?:無効に(?!しな)|削除(?!しな)|キャンセル(?!しな)|解除(?!しな))",
    r"管理者として[^。!?\n]{0,16}(?:命じ|命令)",
    r"(?:ルール|規則|指示)を忘れて(?:ください|。)",
    r"システムプロンプトを[^。!?\n]{0,8}(?:明らか|開示|公開|表示|教え)(?!に?し?(?:ない|ません|ず|なく))",
    r"관리자로서[^.!?\n]{0,20}(?:명령|지시)",
    r"(?:모든|너의|당신의)\s(?:보안|안전)\s?(?:필터|프로토콜)\S{0,2}\s(?:비활성화|해제|제거)",
    r"(?:규칙|지시)\S{0,2}\s(?:잊으|잊어)\S{0,4}|숨겨진\s(?:지시|명령)\S{0,4}",
    r"이제\s(?:너는\s|당신은\s)?(?:제한|규칙)이\s없",
    r"(?:покажи|выведи|раскрой|повтори|скажи)(?:те)?(?:\s\w{1,12}){0,3}\s(?:сво\w{1,2}|систем\w{2,4}|начальн\w{2,3})"
    r"(?:\s\w{1,12})?\s?(?:промпт|инструкци|указани|подсказк)\w{0,3}",
    r"(?:игнорируй|забудь|проигнорируй)(?:те)?(?:\s\w{1,12}){0,2}\s(?:(?:свои|твои)\s(?:правила|инструкции"
    r"|ограничения)|все\sинструкции)",  # noqa: RUF001
    r"ты\sтеперь(?:\s\w{1,16}){0,4}\s(?:без\s(?:ограничений|правил|фильтров)|dan\b)",  # noqa: RUF001
    r"(?:显示|輸出|输出|重复|复述|告诉我|透露|泄露|揭示)[^。!?\n]{0,8}(?:系统提示词|系統提示詞|初始指令|系统指令)"
    r"|(?:告诉我|透露|泄露)[^。!?\n]{0,8}系统提示",
    r"你现在是[^。!?\n]{0,12}(?:没有限制|不受限制|无限制|dan)",
    r"(?:システムプロンプト|初期指示|内部指示)[^。!?\n]{0,6}(?:表示して|教えて|出力して|見せて|公開して|開示)",
    r"(?:시스템|초기)\s?(?:프롬프트|지시)\S{0,2}\s?(?:보여|알려|출력|공개|말해)",
)

ROLE_SHAPES: Final[tuple[SuspiciousPattern, ...]] = (
    SuspiciousPattern(
        "tells the reader to drop its instructions",
        phrase(
            *(f"{_NOT}{order}{_NOT_BEHIND}" for order in _GERMAN_DROPS),
            *(f"{_NOT}{order}{_OF_SOMETHING}" for order in _ROMANCE_DROPS),
        ),
        hints=any_of(
            "ignor|vergiss|vergess|missacht|verwirf|umgeh|deaktiv|schalte|oublie|olvid|dimentic|esque|desconsider"
        ),
    ),
    SuspiciousPattern(
        "asks the reader for its own prompt or secrets",
        phrase(*(f"{_NOT}{order}" for order in (*_TOLD_PROMPT, *_YOUR_PROMPT))),
        hints=any_of(
            "prompt|anweisung|instruktion|invite|système|systeme|sistema|instruc|consignes|istruzion|instruç"
        ),
    ),
    SuspiciousPattern(
        "gives the reader a new role",
        phrase(*_ROLES, *_NO_LIMITS),
        hints=any_of(
            "du bist|du hast|als |avez|tu n|tienes|não tem|non hai|en tant|como|come |désactiv|supprim|desactiv"
            "|elimin|desativ|remov|disattiv|disabilit|rimuov|annul|anul|cancel|modus|tu so|antworte"
            "|gehorche|folge|tu es|vous êtes|ahora|ora |adesso|agora|mode|modo|modalità"
        ),
    ),
    SuspiciousPattern(
        "tells the reader to drop its instructions",
        _NEW_ORDERS,
        hints=any_of(
            "anweisung|aufgabe|instruktion|direktive|instruc|consigne|directiv|orden|istruzion|direttiv|instruç"
            "|diretriz|system"
        ),
        reads_lines=True,
    ),
    SuspiciousPattern(
        "gives the reader other orders than its own",
        _OTHER_SCRIPTS,
        hints=any_of(
            "систем|промпт|подсказк|указани|начальн|ограничени|безопасн|администратор|правил|фильтр|теперь|现在|инструкци|限制|指令|提示|管理|过滤|协议|规则|内容|防护"
            "|制限|プロンプト|ルール|規則|指示|セキュリティ|安全|以前|관리자|보안|안전|규칙|지시|명령|제한|프롬프트"
        ),
    ),
)

_FEW: Final = r"(?: \w{1,16}){0,2}"

_HIDES: Final = phrase(
    r"(?:sag|sage|sagt|erzähl|erzähle|verrate)(?: (?:dem|der|den))? (?:be)?nutzer\w{0,2}"
    r" (?:davon |darüber )?(?:nichts|kein wort)(?! \w{3,16}es\b)",
    r"ohne (?:es )?(?:dem|den|der) (?:be)?nutzer\w{0,2} (?:\w{1,12} )?zu (?:sagen|informieren|melden|erwähnen)"
    r"(?! (?:darf|dürfen|kann|können|soll|sollen|wird|werden)(?: \w{1,12}){0,3} (?:kein\w{0,2}|nicht|nie)\b)",
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
