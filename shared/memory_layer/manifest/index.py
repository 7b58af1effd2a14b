"""Search index of OpenSearch: its mapping and its analyzer, as data. Standard library only.

One document per record, erased ones included: a tombstone keeps the last version, so that no late write brings the
record back (ADR-0006).
"""

import hashlib
import json
from collections.abc import Iterable
from typing import Any, Final, Literal

SearchedIndex = Literal["segments", "domain"]
"""Index that is searched: segments in a bucket, or a search domain."""

Engine = Literal["faiss", "lucene"]
"""Engine of the k-NN fields: faiss on a managed domain, lucene where there are no native libraries."""

ALIAS: Final = "memories"
"""Stem of every alias: `{stem}-read` is searched, `{stem}-write` names all indexes that the projector writes to."""

CONTENT_TEXT: Final = "content_text"
CONTEXT_TEXT: Final = "context_text"
"""Field of the content with its context; as its vector, only in records that have a context."""
CONTENT_VECTOR: Final = "content_vector"
CONTEXT_VECTOR: Final = "context_vector"
VECTORS: Final = (CONTENT_VECTOR, CONTEXT_VECTOR)

TERMS: Final = {CONTENT_TEXT: "content_terms", CONTEXT_TEXT: "context_terms"}
"""Fields of each text's terms (`domain.text.analyzer`), which score hits to the last digit as on every backend."""
LENGTHS: Final = {CONTENT_TEXT: "content_length", CONTEXT_TEXT: "context_length"}
"""Fields of the number of terms of each text."""
EXACT: Final = {CONTENT_VECTOR: "content_float16", CONTEXT_VECTOR: "context_float16"}
"""Fields of each vector as the record store has it, beside the engine's own form."""
TOLD: Final = "told"
"""Field of the days that a record tells of (domain.retrieval.told_days), since 1970, as ranges to search."""
TOLD_COLUMN: Final = "told_days"
"""Field of the same days as `first/last`, which comes with hits."""

KEYWORDS: Final = (
    *("type", "category", "dimension", "task_type", "source", "status", "tier"),
    *("persona", "created_by", "session_id", "complexity", "tags", "entities", "embedding_model"),
)
MENTIONS: Final = "mentions"
"""Field of the record's mention keys (domain.retrieval.mentions); derived, so never read back."""
TIES: Final = "ties"
"""Field of the number of mention keys: fewer in `mentions` means that some were lost."""

TRUSTED: Final = "is_trusted"
"""Field of the records that a person said, or a reviewer approved."""

THOUSANDTHS: Final = ("confidence", "relevance_score", "success_rate", "outcome_score")
MICROSECONDS: Final = ("created_at", "updated_at", "expires_at")
"""Fields in microseconds since 1970: OpenSearch's dates have only milliseconds, or end in 2262."""

MAX_TERM_CHARS: Final = 10_922
"""Longest term: Lucene refuses a document with one of more than 32,766 bytes; a UTF-16 unit is at most three."""

_CJK = (
    r"\u1100-\u11ff\u3130-\u318f\uac00-\ud7af"  # Hangul
    r"\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\x{20000}-\x{2ffff}"  # Han
    r"\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # Hiragana, Katakana
)
_LETTER = rf"[\p{{L}}\p{{N}}_&&[^{_CJK}]]"
_LOWER = rf"[\p{{L}}\p{{N}}&&[^\p{{Nd}}A-Z{_CJK}]]"
_WORD = (
    rf"{_LETTER}++(?:['.]{_LETTER}++)*+"  # possessive: a greedy group recurses, and 32 KB overflow the stack
)
_TOKEN = rf"(?=([{_CJK}]{{1,2}}|{_WORD}))(?:[{_CJK}](?:[{_CJK}](?![{_CJK}]))?|\1)"
"""Token pattern: each pair of a run of CJK, a single CJK character, or a word; group 1 is the token, the rest is
consumed up to the next one."""
_PART = rf"[A-Z]{{2,}}s?(?!{_LOWER})|[A-Z]{_LOWER}+|{_LOWER}{{2,}}|\p{{Nd}}+"
_PARTS = rf"(?:\A(?!.*')|(?!\A)\G).*?({_PART})"

_NEWER_STEMS = (
    "emergence, emergency, emergencies => emergenc",
    "emergent => emergent",
    "evening, evenings => evening",
    "hying => hie",
    "intercity => interciti",
    "interfered, interfering => interfer",
    "interfluent => interfluent",
    "interment, interments => interment",
    "internal, internals, internally, internality => internal",
    "internalize, internalized, internalizes, internalizing, internalization => internal",
    "international, internationals, internationally, internationalism, internationality => internat",
    "internationalities => internat",
    "internement, internements => internement",
    "internment, internments => internment",
    "interstate, interstates => interstat",
    "interval, intervals => interval",
    "lateral, laterals, laterally, laterality, lateraled, lateraling, lateralization => lateral",
    "organic, organics, organically, organicity => organic",
    "organism, organisms => organism",
    "organize, organized, organizes, organizing => organiz",
    "organizer, organizers, organization, organizations, organizational => organiz",
    "paste, pasted, pastes, pasting => paste",
    "universal, universals, universally, universality, universalism, universalisms => universal",
    "universalize, universalized, universalizes, universalizing, universalization => universal",
    "university, universities => universiti",
    "vying => vie",
)
"""Words that Snowball 3 stems otherwise than the Porter2 of Lucene 10, which is Snowball 2: all of 184,000 words,
except those in -logist. Source: snowballstem.org, NEWS of 3.0."""


def index_body(
    engine: Engine,
    *,
    dimensions: int,
    model: str,
    stop_words: Iterable[str],
    shards: int = 1,
    replicas: int = 1,
    spread: int = 1,
) -> dict[str, Any]:
    """Settings and mappings, as OpenSearch's API to create an index takes them.

    Args:
        dimensions: of the vectors, which have unit length, so that the inner product is the cosine.
        model: that made the vectors; vectors of another are left out.
        stop_words: in lower case (`domain.text.analyzer.STOP_WORDS`).
        shards: primaries, of some 30 to 50 GB each.
        replicas: further copies of each, at most one less than there are data nodes.
        spread: shards that one project's documents lie on, fewer than there are; 1 of one.
    """
    # with the default of a thousand routing shards neighbours would fall on one shard again
    spreading = {"routing_partition_size": spread, "number_of_routing_shards": shards} if spread > 1 else {}
    return {
        "settings": {
            "index": {
                "number_of_shards": shards,
                "number_of_replicas": replicas,
                "refresh_interval": "1s",  # explicit, so that an idle shard refreshes too: the projector waits for it
                "knn": True,
                **spreading,
                "similarity": {"terms": _SATURATION},
            },
            "analysis": _analysis(stop_words),
        },
        "mappings": {
            "dynamic": "strict",
            "_routing": {"required": True},  # by project: a search asks the shards of its projects alone
            "_meta": {"model": model, "engine": engine},
            "_source": {"enabled": False},  # records are in the table, and data for scores in columns
            "properties": _properties(engine, dimensions),
        },
    }


NAME_PATTERN: Final = rf"{ALIAS}-[0-9a-f]{{12}}-\d{{4,}}"
"""Pattern of the names that `index_name` makes: no other index in the domain may be dropped."""


def index_name(body: dict[str, Any], generation: int) -> str:
    """Name of an index: stem, a hash of mapping, analyzer and model, and the number of the attempt at such an index."""
    settings = body["settings"]
    scoring = [settings["analysis"], settings["index"]["similarity"]]
    shape = {"scoring": scoring, "mappings": body["mappings"]}
    digest = hashlib.sha256(json.dumps(shape, sort_keys=True).encode()).hexdigest()
    return f"{ALIAS}-{digest[:12]}-{generation:04d}"


K1: Final = 1.2
B: Final = 0.75
"""BM25 parameters, Lucene's defaults, as in `domain.retrieval.exact_scores`."""

_SATURATION = {
    "type": "scripted",
    "discount_overlaps": False,  # parts of identifiers stand where the whole does, and count in a text's length
    "script": {
        "source": f"double length = {1 - B} + {B} * doc.length * field.docCount / field.sumTotalTermFreq;"
        f" return query.boost * doc.freq / (doc.freq + {K1} * length);"
    },
}
"""BM25 without the idf, which is that of the searched project, not of all tenants' texts in a shard, and comes as the
boost of each term (`adapters.aws.search.term_weights`). Lucene's own idf costs 1.5 points of R@10 on LoCoMo (.795,
.810)."""


def _analysis(stop_words: Iterable[str]) -> dict[str, Any]:
    """Analyzer chain of `domain.text.analyzer`, which folds the text beforehand (not every distribution has ICU)."""
    return {
        "tokenizer": {"words": {"type": "pattern", "pattern": _TOKEN, "group": 1}},
        "filter": {
            "parts": {"type": "pattern_capture", "preserve_original": True, "patterns": [_PARTS]},
            "possessive": {"type": "stemmer", "language": "possessive_english"},
            "stop_words": {"type": "stop", "stopwords": sorted(stop_words)},
            "bounded": {"type": "length", "max": MAX_TERM_CHARS},
            "logists": {"type": "pattern_replace", "pattern": r"(?<=\wlog)ists?$", "replacement": "y"},
            "newer_stems": {"type": "stemmer_override", "rules": list(_NEWER_STEMS)},
            "stems": {"type": "stemmer", "language": "porter2"},
        },
        "analyzer": {"terms": {"type": "custom", "tokenizer": "words", "filter": list(_CHAIN)}},
    }


_CHAIN = (
    *("parts", "lowercase", "possessive", "stop_words"),
    *("bounded", "logists", "newer_stems", "stems"),
)


def _properties(engine: Engine, dimensions: int) -> dict[str, Any]:
    text = {"type": "text", "analyzer": "terms", "similarity": "terms", "index_options": "freqs"}
    return {
        **dict.fromkeys((CONTENT_TEXT, CONTEXT_TEXT), text),
        **{name: _vector(engine, dimensions) for name in VECTORS},
        **{name: {"type": "binary", "doc_values": True} for name in (*TERMS.values(), *EXACT.values())},
        **{name: {"type": "integer"} for name in LENGTHS.values()},
        **{name: {"type": "keyword"} for name in ("tenant", "project", "id", *KEYWORDS, MENTIONS)},
        **{name: {"type": "short"} for name in THOUSANDTHS},
        **{name: {"type": "long"} for name in MICROSECONDS},
        "is_tombstone": {"type": "boolean"},
        "pinned": {"type": "boolean"},
        TRUSTED: {"type": "boolean"},
        "version": {"type": "long"},
        "standing": {"type": "integer"},  # confidence × relevance_score, in millionths
        "use_count": {"type": "long"},
        "bytes": {"type": "integer"},
        "body_bytes": {"type": "integer"},
        "key_hash": {"type": "integer"},  # 31 bits of the key: a pseudo-random order, and buckets
        TIES: {"type": "integer"},
        TOLD: {"type": "integer_range"},
        TOLD_COLUMN: {"type": "keyword", "index": False},
        "version_hash": {"type": "integer"},  # 31 bits of key and version: sums of it tell indexes apart
    }


def _vector(engine: Engine, dimensions: int) -> dict[str, Any]:
    parameters: dict[str, Any] = {"m": 16, "ef_construction": 128}
    if engine == "faiss":
        parameters["encoder"] = {
            "name": "sq",
            "parameters": {"type": "fp16"},
        }  # the stored precision: nothing is lost
    method = {"name": "hnsw", "engine": engine, "space_type": "innerproduct", "parameters": parameters}
    return {"type": "knn_vector", "dimension": dimensions, "method": method}
