"""Principals from token claims: the same claims on the laptop and behind a JWT authorizer."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Any, get_args

from memory_layer.domain.access import Principal, Role, acting_for, names_behind
from memory_layer.domain.memory import LABEL_MAX_CHARS
from memory_layer.errors import Forbidden, Invalid, Unauthenticated

USER_HEADER = "Memory-User"
USER_SHAPE = r"^[A-Za-z0-9][A-Za-z0-9_.@:|+-]{0,127}$"
"""End user in the header: an id, a UUID, an e-mail address, `auth0|123`."""

PERSONAS_MAX = 32
"""Personas of a token: a bound on the filters made of them."""

UNVERIFIED = "unverified:"
"""Mark of a subject that reads like an e-mail address which nobody has proved, or like another's agent."""

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_JOINERS = "\u200c\u200d"
"""Characters by which Persian and the scripts of India write words, though nobody sees them."""

_ADDRESS = re.compile(r"[^:\s]*@.*", re.DOTALL)
_SLUG = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}")
_TOOLS = re.compile(r"[A-Za-z0-9_*?.-]{1,128}")
_USER = re.compile(USER_SHAPE[1:-1])
_LIST_AS_TEXT = re.compile(r"\[[^\[\]]*\]|[^\[\]]*")
_LIST_MARKS = str.maketrans("[],", "   ")


def principal_of(claims: Mapping[str, Any], *, are_ours: bool = False) -> Principal:
    """Caller that verified claims describe.

    Args:
        claims: `tenant`, `sub`, and where there are any `email` with `email_verified`, `persona`, `personas`,
            `roles`, `acts_for`, `tools`, `proven`. An authorizer hands everything over as text ("[agent reviewer]",
            "true"); here is the one place that reads it.
        are_ours: they are those of `claims_of`, kept since, and no token's: an agent beside a person's token is in them
            by its name.

    Raises:
        Unauthenticated: tenant, subject, address or a persona is missing or misshapen, or the list of tools is none.
    """
    tenant, subject = claims.get("tenant"), claims.get("sub")
    if not isinstance(tenant, str) or not _SLUG.fullmatch(tenant):
        raise Unauthenticated("the token names no tenant; mint one with: mem token --tenant NAME")
    if not isinstance(subject, str) or not _is_one_line(subject):
        raise Unauthenticated("the token names no subject, or one with characters that nobody sees")
    persona, personas = _personas(claims)
    email = _proved_email(claims)
    return Principal(
        tenant=tenant,
        subject=subject if email or are_ours else _no_others(subject),
        email=email,
        persona=persona,
        personas=personas,
        roles=_roles(claims.get("roles")),
        acts_for=_is_true(claims.get("acts_for")),
        is_proven=_is_true(claims.get("proven", True)),
        tools=_tools(claims.get("tools")),
    )


def claims_of(principal: Principal) -> dict[str, Any]:
    """Claims that `principal_of` reads back; for whom the principal speaks is no claim."""
    return {
        "tenant": principal.tenant,
        "sub": principal.subject,
        "email": principal.email,
        "email_verified": principal.email is not None,
        "persona": principal.persona,
        "personas": sorted(principal.personas),
        "roles": sorted(principal.roles),
        "acts_for": principal.acts_for,
        "proven": principal.is_proven,
        "tools": list(principal.tools) or None,
    }


def speaking_for(principal: Principal, user: str | None) -> Principal:
    """Caller on behalf of an end user. Args: user: of the header; None: there was none.

    Raises:
        Forbidden: the token gives no right to speak for others.
        Invalid: the header is misshapen.
    """
    if user is None:
        return principal
    if not principal.may_act_for_users:
        raise Forbidden(
            f"{USER_HEADER} is for services: use a token with the claim acts_for (mem token --acts-for), or omit it"
        )
    if not _USER.fullmatch(user):
        raise Invalid.at(
            f"/headers/{USER_HEADER.lower()}",
            "names an end user by 1 to 128 characters: letters, digits and _ . @ : | + -, a letter or digit first",
        )
    return acting_for(principal, user)


def _is_true(claimed: Any) -> bool:
    return claimed is True or claimed == "true"


def _proved_email(claims: Mapping[str, Any]) -> str | None:
    """E-mail address that the issuer says is proved; without its word it is no more than a name."""
    email = claims.get("email")
    if not isinstance(email, str) or not email or not _is_true(claims.get("email_verified")):
        return None
    if not _is_one_line(email):
        raise Unauthenticated("the token's address has characters that nobody sees")
    return email


def _no_others(subject: str) -> str:
    """Subject that is nobody else's name: one that reads like an address, or like an agent beside a token, is marked.

    Memories, votes and quotas belong to a name. Whoever is called like a person's address, or like the client that a
    person's token is carried by (`agent:codex:ada@acme.test`), would be that person, or that client.
    """
    return f"{UNVERIFIED}{subject}" if _ADDRESS.fullmatch(subject) or names_behind(subject) else subject


def _is_one_line(name: str) -> bool:
    """Tests a name that is joined with others by line ends (`Principal.holder`)."""
    return bool(name) and not any(map(_is_unseen, name))


def _is_unseen(character: str) -> bool:
    """Tests for a control, an end of a line, half a character, or a format that nobody sees; words have joiners."""
    return unicodedata.category(character) in _UNSEEN and character not in _JOINERS


def _personas(claims: Mapping[str, Any]) -> tuple[str | None, frozenset[str]]:
    """Persona that the caller writes under, and those seen beside it; the only one of a list is both.

    Raises:
        Unauthenticated: a claim is misshapen; without it the caller would write for everyone.
    """
    persona = claims.get("persona") or None
    listed = _listed(claims.get("personas"))
    names = [*listed, *([] if persona is None else [persona])]
    if len(names) > PERSONAS_MAX or not all(map(_is_persona, names)):
        raise Unauthenticated(
            f"the token's persona or personas are no names, or more than {PERSONAS_MAX}; ask for another token"
        )
    only = listed[0] if persona is None and len(set(listed)) == 1 else persona
    return only, frozenset(listed) - {only}


def _tools(claimed: Any) -> tuple[str, ...]:
    """Names and globs of MCP tools. Raises: Unauthenticated: it is no list of them, and would open all."""
    names = _listed(claimed)
    is_list = all(isinstance(name, str) and _TOOLS.fullmatch(name) for name in names)
    if not is_list or (claimed is not None and not names):
        raise Unauthenticated("the token's tools are no names or globs of tools; ask for another token")
    return tuple(names)


def _is_persona(name: Any) -> bool:
    return isinstance(name, str) and _is_one_line(name) and len(name) <= LABEL_MAX_CHARS


def _listed(claimed: Any) -> list[Any]:
    """Items of a list, also of one that an authorizer made a text of; what is neither is one misshapen item."""
    if isinstance(claimed, str) and _LIST_AS_TEXT.fullmatch(claimed):
        return list(filter(None, claimed.translate(_LIST_MARKS).split(" ")))
    if claimed is None or isinstance(claimed, list | tuple):
        return list(claimed or ())
    return [None]


def _roles(claimed: Any) -> frozenset[Role]:
    """Roles in a claim; agent alone where the claim is no list of texts, or any of them is unknown here.

    API Gateway hands `["billing admin"]` over as `[billing admin]`, which reads like two roles: so a claim
    counts only as a whole, here as there.
    """
    names = _listed(claimed)
    known = [role for role in get_args(Role) if role in names]
    is_whole = bool(known) and all(name in get_args(Role) for name in names)
    return frozenset(known) if is_whole else frozenset({"agent"})
