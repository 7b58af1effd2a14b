"""Part of a question that asks: a greeting, thanks, what the asker tells of themselves and orders on how to work are
in no memory, and hide what bears on the rest (ADR-0064)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from memory_layer.domain.retrieval.pasted_output import ERROR_NAME
from memory_layer.domain.retrieval.specific_tokens import is_version, specific_tokens
from memory_layer.domain.text.analyzer import STOP_WORDS, folded, words_in
from memory_layer.domain.text.german import FUNCTION_WORDS
from memory_layer.domain.text.spelling_variants import WORDS_MAX

_WORDS_OF_QUESTION: Final = 2
"""Words from which on a sentence says by itself what is asked; `Any ideas?` does not."""

_SENTENCE_END: Final = re.compile(r"(?<=[?!])\s+|(?<=\w\w\.)\s+|\n+")
_CLAUSE_END: Final = re.compile(
    r",\s+|\s+(?=(?:and|but|while|when|because|that|which|after|before|since|so|und|aber|während|weil|dass|nachdem)\s)"
)
_LABEL: Final = re.compile(
    r"(?P<mark>[#*\s]{0,8})(?:[\w']{1,12}\s){0,2}"
    r"(?:task|question|goal|objective|problem|request|one|aufgabe|frage|ziel|anliegen)[*\s]{0,3}(?P<colon>:[*\s]{0,3}|$)",
    re.IGNORECASE,
)
_PROSE: Final = re.compile(r"[-*\s]*[^\W\d_][^\d`_(){}<>=/\\:#\[\]]*")
"""Sentence without numbers, names of code and other signs that say something exactly."""

_ASIDE: Final = re.compile(
    r"(?:please|keep|do|don't|make|be|answer|reply|respond|write|add|give|include|avoid|ensure|run|list|read|think|bitte)\b"
    r"|.{0,200}\b(?:I|I'm|I've|me|my|you|your|ich|mir|mich|mein\w*|du|ihr|euch)\b",
    re.IGNORECASE,
)
"""Order on how to work, or sentence on who asks and who is asked."""

LIMIT_MAX_WORDS: Final = 10
"""Words of a sentence that is a limit: in longer ones a `not` is one of many orders on how to work (ADR-0064)."""

_LIMIT: Final = re.compile(
    r"\b(?:not|never|no|none|without|avoid|only|except|unless|cannot|\w+n['\u2019]t|ohne|nicht|nie|nur|außer|kein\w*)\b",
    re.IGNORECASE,
)
"""Word that limits what is asked."""

_FORM: Final = re.compile(
    r"\b(?:answer|reply|respond|explain|apologi[sz]e|explanations?|introduction|preamble|markdown|emojis?|antworte?|"
    r"erklär\w*)\b|(?:format|output|style|tone|language|sprache)\s?:",
    re.IGNORECASE,
)
"""Word that tells of the form of the answer."""

_OWN_LABEL: Final = re.compile(r"[-*#\s]{0,8}[^\W\d_][\w' ]{0,30}[*\s]{0,3}:[*\s]{0,3}\S")

_POINTS_BACK: Final = re.compile(
    r"\b(?:its?|this|that|they|them|their|these|those|there|he|she|his|her|es|das|sie|dies\w*|ihn|ihm|davon|damit|dazu)\b",
    re.IGNORECASE,
)
_TALK_WORDS: Final = """
hi hello hey dear everyone everybody team folks guys good morning evening afternoon please pls plz kindly thanks
thank thx cheers advance appreciate appreciated help helps helping sorry bother disturb excuse quick quickly short
question questions ask asking asked one anyone anybody somebody someone could would can might may tell explain
know known wondering wonder happen anything something remember recall regards best kind much lot many whether
idea ideas like want wanted need really grateful great nice hint hints advice thought thoughts suggestion
suggestions urgent urgently asap rather pretty quite yesterday today already nobody answered answer possible maybe
perhaps also well ok okay pointer pointers let give get got next worked
hallo guten tag morgen abend moin zusammen liebe lieber leute danke dank vielen voraus kurze kurz frage fragen
jemand sagen sagt erklären hilfe helfen hilft weiß wissen wisst weißt grüße gruß schöne freundliche beste
dankbar entschuldigung leid gerade mal nett euch
"""
_TALK: Final = frozenset(folded(_TALK_WORDS).split())
"""Words of talk about asking, which say nothing of what is asked."""

_LEAD: Final = re.compile(
    r"""(?:@[\w-]{1,30}\s)?(?:
    (?:hi|hello|hey|dear|good\s(?:morning|evening|afternoon)|hallo|moin|guten\s(?:tag|morgen|abend)|liebes?r?)\b
        (?:\s[\w@]{1,20}){0,2}\s?[,!.:;-]\s?
    |(?:(?:a|just|one|another|next|quick|short|noch|eine|kurze)\s){1,3}(?:one|question|frage)\s?[:,-]\s
    |sorry\s(?:to|for)\s(?:bother|disturb|ask)\w*(?:\s(?:you|again|this)){0,2}\s?[,!.:-]?\s
    |(?:ok|okay|thanks|sorry|danke)\s?[,!.:-]\s|(?:please|bitte)\s?[,!.:-]?\s
    |(?:could|can|would|will)\s(?:you|somebody|someone|anyone|anybody)\s(?:please\s|kindly\s)?
        (?:(?:tell|explain|show|remind|say)(?:\s(?:to\s)?(?:me|us))?(?:\s(?:about|with|of|on))?
        |(?:help|give)\s(?:me|us)(?:\s(?:about|with|on))?|help\swith)\s
    |(?:tell|remind|show|give)\s(?:me|us)\s(?:(?:all|everything|something|more)\s)?(?:(?:about|of|on)\s)?
    |(?:i|we)(?:\s(?:was|were|am|are|would|just|only)|'m|'d){0,3}\s
        (?:wonder(?:ing)?|curious|like\sto\sknow|want(?:ed)?\sto\s(?:know|ask)|need\sto\sknow)\s(?:(?:whether|if|about)\s)?
    |(?:(?:do|does|did|whether|if)\s)?(?:you|anyone|anybody|someone|somebody)\s(?:happens?\sto\s|still\s)?
        (?:knows?|remembers?|recalls?)\s(?:(?:anything|something)\s)?(?:(?:about|whether|if|of)\s)?
    |(?:search|look|check)(?:\s(?:up|in|through|your|our|the)){0,3}\s(?:memory|memories|notes)\s(?:for|about|on)\s
    |(?:könnte?s?t?|kannst|können|kann)\s(?:ihr|du|sie|(?:mir\s)?jemand)\s(?:(?:mir|uns|bitte|mal|kurz)\s){0,3}
        (?:sagen|erklären|verraten|helfen|zeigen)\s?,?\s
    |(?:weiß|wisst|weißt)\s(?:jemand|ihr|du)\s?,?\s
    |ich\s(?:wollte|möchte|würde)\s(?:(?:gerne?|mal|kurz)\s){0,2}(?:fragen|wissen)\s?,?\s(?:ob\s)?
    ){0,6}""",
    re.IGNORECASE | re.VERBOSE,
)
"""What leads up to a question."""

_THANKS: Final = re.compile(
    r"(?<=\w|[?.!])[,;.!\s-]{1,4}"
    r"(?:(?:many\s|vielen\s|besten\s)?(?:thanks|thank\syou|thx|cheers|danke?)\b(?!\sto\s(?!all|any|every|you))[^.?!]{0,40}|please|pls|plz|bitte)[.!?\s]{0,4}$",
    re.IGNORECASE,
)


def asked_part(question: str) -> str:
    """Part of a question that asks; the whole where nothing would be left."""
    sentences = [one for part in _SENTENCE_END.split(question) if (one := part.strip())]
    if len(sentences) > 1:
        asking = _labelled(sentences) or _beside_asides(sentences) or _naming(question, sentences)
        sentences = [sentence for sentence in asking if _content(sentence)]
    part = " ".join(filter(None, map(_without_courtesy, sentences)))
    return part if part == question or _content(part) else question


def _without_courtesy(sentence: str) -> str:
    """Sentence without what leads up to its question, and without thanks."""
    return _THANKS.sub("", sentence[lead.end() :] if (lead := _LEAD.match(sentence)) else sentence)


def _labelled(sentences: Sequence[str]) -> Sequence[str]:
    """What a label calls the task: the rest of its line, or what its heading stands over; empty: none does."""
    for at, sentence in enumerate(sentences, start=1):
        label = _LABEL.match(sentence)
        if label is None or not (label["colon"] or label["mark"].strip()):
            continue
        if label.end() < len(sentence):
            return [sentence[label.end() :], *filter(_stays, sentences[at:])]
        below = sentences[at:]
        end = next((place for place, line in enumerate(below) if line.startswith(("#", "**"))), len(below))
        end = end if label["mark"].strip() else 1
        return [*below[:end], *filter(_stays, below[end:])]
    return []


def _stays(sentence: str) -> bool:
    """Tests for a sentence behind a labelled task that limits it or has a label of its own."""
    return _limits(sentence) or (_OWN_LABEL.match(sentence) is not None and _FORM.search(sentence) is None)


def _limits(sentence: str) -> bool:
    """Tests for a short sentence that limits what is asked, and not the form of the answer."""
    is_short = len(sentence.split()) <= LIMIT_MAX_WORDS
    return is_short and _LIMIT.search(sentence) is not None and _FORM.search(sentence) is None


def _beside_asides(sentences: Sequence[str]) -> Sequence[str]:
    """Sentences without asides, where one of them asks and says by itself what; empty: none does."""
    if not any(map(_is_whole_question, sentences)):
        return []
    return [
        one
        for one in sentences
        if one.endswith("?") or _limits(one) or not (_PROSE.fullmatch(one) and _ASIDE.match(one))
    ]


def _is_whole_question(sentence: str) -> bool:
    return (
        sentence.endswith("?")
        and _POINTS_BACK.search(sentence) is None
        and len(_content(sentence)) >= _WORDS_OF_QUESTION
    )


def _naming(question: str, sentences: Sequence[str]) -> Sequence[str]:
    """Of a long question the names of errors, else the clauses that name something exactly with what is no plain prose;
    all where nothing is named."""
    if len(words_in(question)) <= WORDS_MAX:
        return sentences
    if errors := dict.fromkeys(ERROR_NAME.findall(question)):
        return [*errors]
    names = [token.text for token in specific_tokens(question) if not is_version(token)]
    if not names:
        return sentences
    clauses = [clause for sentence in sentences for clause in _CLAUSE_END.split(sentence)]
    return [one for one in clauses if not _PROSE.fullmatch(one) or any(name in one for name in names)]


def _content(sentence: str) -> list[str]:
    """Words of a sentence that are neither stop words nor talk."""
    words = (word.lower() for word in words_in(sentence))
    return [word for word in words if not (word in _TALK or word in STOP_WORDS or word in FUNCTION_WORDS)]
