"""Tellings of tools' failures, by kind, and of failures of the work: one pattern a line, with named parts."""

import re
from collections.abc import Mapping
from typing import Final, Literal

ToolFailure = Literal["killed", "memory", "time", "network", "limit", "disk", "credentials"]

_PARTS: Final = {
    "status": r"\b(?:error|status|code|http(?:/\d(?:\.\d)?)?|returned|response|responded|got|received)"
    r"(?:\W+(?:code|status|error|with|with code|a|of))?\W{1,3}",
    "words": r"(?:\W+\w+){0,4}\W+",
    "cannot": r"(?:could not|couldn't|cannot|can't|unable to|failed to)",
    "secret": r"(?:credentials?|api[ _-]?keys?|passwords?)",
    "variable": r"\b[A-Z][A-Z0-9_]*(?:TOKEN|API_KEY|SECRET|PASSWORD|CREDENTIALS|ACCESS_KEY)\b",
    "lacking": r"(?:missing|expired|invalid|incorrect|no|without(?: an?)?)",
    "exceeded": r"(?:timed out|(?:reached|hit|exceeded) (?:its |the |a )?(?:time(?:-?out)?|maximum)\b)",
    "exited": r"\bexit(?:ed|s)?\b(?:[\w :='\"(]{0,24}\b(?:codes?|status|with|value))?[ :='\"(]{1,4}(?:(?:is|was|of) )?",
    "memory": r"(?:Arbeits|Haupt)?speicher",
    "allot": r"(?:zuweisen|reservieren|anfordern|allozieren|allokieren|belegen)",
    "cut": r"(?:abgelehnt|verweigert|zur(?:ü|ue)ckgesetzt|unterbrochen|getrennt|abgebrochen|geschlossen|beendet)",
    "gone": r"\b(?:is|are|was|temporarily) (?:currently )?(?:unavailable|unreachable|down)\b",
}
"""Parts of several tellings: what stands before the number of an answer of HTTP, what is said of a limit of time, or of
a service."""

TELLINGS: Final[Mapping[ToolFailure, str]] = {
    "killed": r"""
        {exited}1(?:37|43)\b
        \b(?:exit(?:ed)?|status|code|rc|returned|returncode)[ =:(]{1,3}(?:-9|1(?:37|43))\b
        \bSIG(?:KILL|TERM)\b
        \bsignal:? (?:9\b|killed|terminated)
        \bKilled: 9\b
        ^[^\w\n]{0,20}+(?:\S{0,200}: )?(?:\d+ )?Killed\b(?! by)
        \bline \d+:\s{1,9}\d+ (?:Killed|Terminated)\b
        \bwas killed\b
        \bgot killed\b
        \boperation was cancell?ed\b
        \brunner has received a shutdown signal
        \b(?:lost communication with the server|lost connection to the runner)
        \b(?:container|pod|worker|machine|instance|node) (?:\S+ )?(?:was )?(?:evicted|preempted|terminated)
    """,
    "memory": r"""
        \bout of memory\b
        \bOutOfMemory
        \bOOM[ -]?kill
        \bheap out of memory
        \bMemoryError\b
        \bOOM\b
        \bcan(?:not|'t) allocate memory
        \bENOMEM\b
        \bfailed to (?:allocate|reserve) (?:\S+ ){0,4}memory
        \bvirtual memory exhausted
        \bstd::bad_alloc\b
        \bGC overhead limit exceeded
        \binsufficient memory\b
        \bmemory (?:limit|quota)\b.{0,40}\bexceeded
        \bexceeded\b.{0,40}\bmemory (?:limit|quota)\b
        \bran out of (?:\S+ )?memory\b
        \bnot enough memory\b
        \bMetaspace\b
    """,
    "time": r"""
        \bE(?:SOCKET)?TIMEDOUT\b
        \bERR_SOCKET_TIMEOUT\b
        \bUND_ERR_\w*TIMEOUT\b
        \bWSAETIMEDOUT\b
        \b(?:context |client )?deadline[ _]exceeded\b
        \b(?:connect(?:ion|ing)?|read|request|handshake|operation)\b{words}(?:timed out|timeout)\b
        \b(?:curl|ssh|socket)\b{words}(?:timed out|timeout)\b
        \b(?:network|download|upload)\b{words}(?:timed out|timeout)\b
        \b(?:connect|read|request|socket|gateway|handshake|connection)[ _-]?time-?out\b
        \b(?:Connect|Read|Socket|ConnectionAcquire|APIConnection|API)Timeout(?:Error|Exception)?\b
        \b(?:job|build|command|step|task|script|tool|shell|bash|action)\b{words}{exceeded}
        \b(?:pipeline|workflow|agent|execution)\b{words}{exceeded}
        \b(?:exceeded|reached) (?:(?:the |its )?maximum (?:execution )?time\b|\d+ (?:hours?|minutes?|min)\b)
        \btimed out (?:after|waiting|while|running|connecting|trying)\b
        \bno output has been received in the last\b
        {exited}124\b
        \bping timeout\b
        \bno message in \d+ ?m?s\b
    """,
    "network": r"""
        \bECONN(?:RESET|ABORTED)\b
        \bENOTFOUND\b
        \bEAI_(?:AGAIN|FAIL|NONAME|NODATA)\b
        \bE(?:NET|HOST)(?:UNREACH|DOWN)\b
        \bEPROTO\b
        \b{cannot} (?:be )?resolve(?:d)? (?:the )?(?:host|proxy|address|dns)
        \b{cannot} (?:be )?resolve(?:d)? '?[\w-]+\.[\w.-]+
        \b(?:temporary )?failure in name resolution
        \bname or service not known
        \bnodename nor servname
        \bno such host is known
        \bno such host\b
        \bunknown host\b
        \bUnknownHostException\b
        \bDNS\b.{0,60}\b(?:fail|error|time|unreachable|not resolve)
        \bNo address associated with hostname
        \bNameResolutionError\b
        \bNXDOMAIN\b
        \bSERVFAIL\b
        \bnetwork is (?:unreachable|down)
        \bno route to host
        \bhost (?:is )?unreachable
        \bno internet\b
        \bconnection (?:was )?(?:reset|aborted|broken|lost|closed by (?:remote|peer|foreign)|forcibly closed|dropped)\b
        \breset by peer\b
        \bsocket hang ?up\b
        \bempty reply from server
        \bremote end (?:hung up|closed connection)
        \bearly EOF\b
        \bsideband packet
        \bRPC failed;
        \bIncompleteRead\b
        \bRemoteDisconnected\b
        \bMax retries exceeded with url
        \bSSL connect error
        \b(?:cannot|can't|unable to) verify (?:\S+ ){0,4}certificate
        \bSSL_ERROR_SYSCALL
        \bUNEXPECTED_EOF_WHILE_READING
        \bgnutls_handshake
        \bTLS (?:handshake|connection)\b.{0,40}(?:fail|terminat|error|EOF)
        \bERR_(?:CONNECTION|NAME_NOT_RESOLVED|INTERNET|NETWORK|TUNNEL|PROXY)\w*
        \bfetch failed\b
        \bFailed to fetch\b
        \b502 (?:bad gateway|proxy error)
        \b503 (?:service (?:temporarily )?unavailable|backend|first byte)
        \b504 (?:gateway|deadline)
        {status}(?:502|503|504|520|521|522|523|524)\b
        \b(?:service|registry|api|server|host|endpoint|mirror)\b.{0,30}{gone}
        \b(?:github|npm|pypi|docker hub)\b.{0,30}{gone}
        \bproxy(?: server)?\b.{0,40}\b(?:refused|error|unreachable|required)
        \b407 proxy
        \bcould not (?:connect|create connection|transfer|download|fetch)\b
        \bunable to (?:connect|download|fetch|reach|access 'https?)
        \bfailed to (?:connect|download|reach|fetch https?)
        \b(?:dial tcp|connect(?:ing)?(?: to)?|port \d+|https?://\S+)\b.{0,80}\bconnection refused
        \bECONNREFUSED\b
        \b(?:npm )?ERR! network\b
        \bnetwork (?:error|failure|timeout|issue|problem)s?\b
        \bnet/http: 
        \b(?:dial|read|write) (?:tcp|udp)\b.{0,160}: i/o timeout\b
        \blookup\b.{0,120}: (?:i/o timeout|server misbehaving)\b
        \bHTTPSConnectionPool\b
    """,
    "limit": r"""
        \brate[- ]?limit(?:s|ed|ing)?\b.{0,40}\b(?:exceed|reach|hit|error|for|reset|by)
        \b(?:exceed|reach|hit|over)\w*\b.{0,30}\brate[- ]?limit
        \bRateLimit(?:Error|Exceeded|ed|Reached)\b
        \brate_limit_(?:error|exceeded)\b
        \brate limit error\b
        \bbeing rate[- ]limited\b
        \btoo ?many ?requests\b
        {status}(?:429|529)\b
        \bThrottl(?:ing|ed)(?:Exception| ?Error)?\b
        \bRESOURCE_EXHAUSTED\b
        \bRequestLimitExceeded\b
        \bSlowDown\b
        \bquota\b.{0,40}\b(?:exceed|exhaust|reach|limit)
        \b(?:exceed|exhaust)\w*\b.{0,40}\bquota\b
        \binsufficient_quota\b
        \boverloaded_error\b
        \bmodel is (?:currently )?overloaded
        \bOverloaded\b
        \busage limit (?:reached|exceeded)\b
        \bpull rate limit\b
        \bspending limit\b
        \bcredit balance is too low
        \bbilling (?:hard )?limit
    """,
    "disk": r"""
        \bno space left\b
        \bENOSPC\b
        \bEDQUOT\b
        \bdisk (?:is )?(?:full|quota exceeded|space)
        \bdisk is full\b
        \b(?:not enough|insufficient|out of|ran out of|low on) (?:free )?(?:disk|storage|space)
        \bnot enough space\b
        \bEROFS\b
        \bread-only file system
        \bInput/output error\b
        \bEIO\b
    """,
    "credentials": r"""
        \bAccess ?Denied(?:Exception)?\b
        \bcould not read (?:Username|Password)
        \bauthentication (?:failed|required|error)\b
        \bpermission denied \((?:publickey|password|keyboard)
        \bbad credentials\b
        \bunable to locate credentials
        \bNoCredentials\w*
        \bcould not load (?:\w+ ){0,3}credentials
        \bno (?:\w+ ){0,2}credentials\b
        \b{secret}\b.{0,30}\b(?:missing|expired|revoked|invalid|unset|required)\b
        \b{secret}\b.{0,30}\bnot (?:been )?(?:found|set|provided|supplied|configured|defined)\b
        \b(?:access|auth|api|deploy|security)[ _-]tokens?\b.{0,40}\b(?:missing|expired|revoked|invalid)\b
        \b(?:access|auth|api|deploy|security)[ _-]tokens?\b.{0,40}\bnot (?:set|found|provided)\b
        \b{lacking} (?:\w+ )?{secret}\b
        \b{lacking} (?:access|auth|api|security|bearer|github|npm)[ _-]tokens?\b
        \bENEEDAUTH\b
        \bE401\b
        \bE403\b
        \bInvalid(?:ClientTokenId|AccessKeyId)\b
        \bExpiredToken\w*
        \bUnrecognizedClientException\b
        \binvalid_api_key\b
        \binvalid_grant\b
        {variable}.{0,30}\b(?:not set|missing|unset|empty)\b
        {variable}.{0,30}\b(?:undefined|required|expired)\b
        \bHost key verification failed
        \bnot logged in\b
        \bplease (?:log ?in|login|authenticate|run .{0,20}(?:login|auth))\b
        \bgh auth login\b
        \b(?:pull|push) access (?:to \S+ )?denied
        \bdenied: (?:requested access|permission)
        \bunauthorized: (?:authentication|incorrect|access)
        {status}401\b
        \b401 unauthorized\b
        \bresource not accessible by (?:integration|personal access token)
        \bSAML (?:SSO )?enforcement\b
        \bsso session\b.{0,40}\bexpired
    """,
}


CRASHES: Final = r"""
    \bsegmentation (?:fault|violation)\b(?=\s{0,20}(?:$|[:(!;,]|\.\s{0,20}$| {2}|at (?:0x|address)|in 0x))
    \b(?:died|crash\w*|exit\w*|terminat\w*|fail\w*|kill\w*|abort\w*)\b[^.\n]{0,30}\bsegmentation (?:fault|violation)
    \bsegfault at [0-9a-fx]
    \((?:core|memory) dumped\)
    \bsignal:? ?\(?(?:11|SIG(?:SEGV|BUS))\b(?=\s{0,3}(?:$|[:()\]!;,]|\.(?!\d)|SIG|received|caught|after|at ))
    \bSIG(?:SEGV|BUS)\b(?=\s{0,20}(?:$|[:()!;,]|\.\s{0,20}$|at (?:0x|address)))
    {exited}139\b
    \b(?:exit(?:ed)?|status|code|rc|returned|returncode)[ =:(]{1,3}(?:-11|139)\b
    \bexit(?:ed|s)?\b[\w :='"(]{0,24}(?:0xC0000005\b|-1073741819\b|\b3221225477\b)
"""
"""Crashes of a process: the work's where it is written in a language without a safety of memory, else the tools'."""


WORK_TELLINGS: Final = r"""
    \bassert(?:ion|ions)?\b
    \bassert\w*(?:error|failed|equal)
    \bexpect(?:ed|s)?\b.{0,200}\b(?:but|to|got|received|was|found|actual|in)\b
    \bexpect\(
    \bshould (?:have|be|equal|return|not)\b
    \bdid not equal\b
    \bActual:
    \bReceived:
    \bto(?:Be|Equal|Have|Throw|Match)\w*\(
    \b(?:Syntax|Type|Name|Key|Index|Attribute|Reference|Value)Error\b(?!: fetch)
    \b(?:ZeroDivision|Indentation|Import|ModuleNotFound)Error\b
    \bNullPointerException\b
    \bnil pointer\b
    \bAddressSanitizer\b
    \bpanicked at\b
    \berror (?:TS|CS|E|C)\d{3,5}\b
    \berror\[E\d+\]
    \bundefined (?:reference|symbol|variable|method)
    \bcannot find symbol
    \bunexpected (?:token|identifier|end|indent)
    \bparse error\b
    \bcompil(?:e|ation) (?:error|failed)
    \btests? timed out
    \b(?:\d+ )?tests? failed\b
    \btimeout of \d+ ?ms exceeded
    \bexceeded timeout of\b
    \bTimeout \d+ms exceeded
    \btimed out (?:retrying|in waitFor)
    \bwaitFor\w*\(
    \bDid not find\b
    \bmerge conflict
    \blint(?:er|ing)? (?:error|failed)
"""
"""Signs of a failure of the work itself: a test that asserts, a text that does not compile."""


def compiled(tellings: str) -> re.Pattern[str]:
    """Pattern of alternatives, one a line."""
    for name, part in _PARTS.items():
        tellings = tellings.replace(f"{{{name}}}", part)
    lines = [line.strip() for line in tellings.splitlines() if line.strip()]
    return re.compile("|".join(f"(?:{line})" for line in lines), re.IGNORECASE | re.MULTILINE)
