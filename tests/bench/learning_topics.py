"""Sentences for the learning simulation: 50 topics, ten pieces of advice on each and one more, and unrelated ones."""

from __future__ import annotations

_SYMPTOMS = {
    "SQLite": ["a locked database", "a growing WAL file", "slow full-text queries"],
    "PostgreSQL": ["a deadlock between transactions", "table bloat", "a slow sequential scan"],
    "DynamoDB": ["throttled writes", "a hot partition", "transactions that get cancelled"],
    "OpenSearch": ["a red cluster", "mapping conflicts", "slow k-NN queries"],
    "Lambda": ["long cold starts", "time-outs behind the gateway", "packages over the size limit"],
    "Kubernetes": ["pods that restart in a loop", "evicted pods", "images that cannot be pulled"],
    "Terraform": ["drift of the state file", "a lock that is never released", "cycles between resources"],
    "Redis": ["evicted keys", "replication lag", "memory fragmentation"],
    "Kafka": ["consumer lag", "rebalancing storms", "duplicate messages"],
    "Docker": ["huge images", "layers that are not cached", "zombie processes"],
    "React": ["components that render too often", "stale closures", "hydration mismatches"],
    "TypeScript": ["slow type checking", "broken path aliases", "implicit any types"],
    "pytest": ["flaky tests", "fixtures that leak state", "slow test collection"],
    "Git": ["a detached head", "conflicts during a rebase", "a bloated repository"],
    "nginx": ["bad gateway errors", "dropped websocket connections", "oversized request bodies"],
    "GraphQL": ["N+1 queries", "queries that are too deep", "stale caches"],
    "Celery": ["lost tasks", "tasks that run twice"],
}
TOPICS = [
    {"system": system, "symptom": symptom} for system, symptoms in _SYMPTOMS.items() for symptom in symptoms
]

ADVICE = (
    "With {symptom} in {system}, look at the configuration of the time limits first.",
    "{system}: {symptom} usually came from a missing retry with backoff on our side.",
    "We solved {symptom} in {system} by moving the work into a smaller batch.",
    "For {symptom} in {system} the metrics dashboard shows the cause before the logs do.",
    "When {system} shows {symptom}, roll back the last deployment before anything else.",
    "A dedicated worker took care of {symptom} that {system} had under load.",
    "{symptom} in {system} went away after an upgrade to the current minor version.",
    "Against {symptom} in {system} we run a nightly maintenance job.",
    "In {system}, {symptom} can be reproduced locally with the integration test suite.",
    "{system} documents {symptom} as a known limit; raise the quota to get around it.",
    "To get rid of {symptom} in {system}, warm up the connection pool at start.",
)
"""The last one is what a newcomer says."""

QUERIES = (
    "how do we deal with {symptom} in {system}?",
    "{system} has {symptom}, what helps?",
    "what to do about {symptom} ({system})",
    "our {system} suffers from {symptom} again",
)

_PEOPLE = ("Nadia", "Tom", "Ines", "Ravi", "Mei", "Oskar", "Lena", "Paulo", "Aisha", "Ben")
_THINGS = (
    "prefers tea to coffee in the morning meeting",
    "keeps the spare keys of the office in the top drawer",
    "plays the cello in the company orchestra",
    "is on holiday during the first two weeks of August",
    "wrote the style guide for invoices",
    "knows the landlord and speaks to him about the heating",
    "collects the receipts for the travel expenses",
    "orders the paper and the ink for the printer",
    "waters the plants on the third floor",
    "organises the football evening on Thursdays",
)
_PLACES = ("Berlin", "Lisbon", "Osaka", "Toronto", "Nairobi")
UNRELATED = [
    f"{person} from the {place} office {thing}."
    for person in _PEOPLE
    for place in _PLACES
    for thing in _THINGS
]
