"""Texts by which an encoder's cosines are brought to the scale of the product's own model: questions and answers."""

from typing import Final

ANSWERED: Final[tuple[tuple[str, str], ...]] = (
    ("Who has to agree before we ship?", "A deploy to production needs the approval of two reviewers."),
    (
        "How long do sessions last?",
        "The access token expires after fifteen minutes, the refresh token after a day.",
    ),
    (
        "Where are invoices stored?",
        "PDF invoices lie in the bucket billing-archive, one folder for each month.",
    ),
    (
        "Why did the nightly job fail?",
        "The import of 3 March stopped because the disk of the worker was full.",
    ),
    (
        "Which database do we use for search?",
        "Full text search runs on OpenSearch; Postgres holds the records.",
    ),
    (
        "How should tests be named?",
        "Name a test after the behaviour it proves, and put it beside the module.",
    ),
    ("When is Anna on holiday?", "Anna is away from 12 to 26 August and hands her pager to Jonas."),
    (
        "What does the customer pay for shipping?",
        "Parcels under two kilograms are free of charge from 50 euros on.",
    ),
    ("Can I delete a user?", "Deleting an account keeps its orders for ten years, without name and address."),
    ("How do I run the linter?", "Run `make lint` before each commit; it formats the code as well."),
    ("What did Maria cook for the party?", "I made a big pot of lentil soup and an apple cake for Saturday."),
    (
        "Is there a limit on uploads?",
        "The gateway refuses bodies of more than ten megabytes with status 413.",
    ),
    (
        "Why is the cache cold in the morning?",
        "Redis is restarted at four every night, so the first requests are slow.",
    ),
    ("Which browsers are supported?", "We test on the last two versions of Firefox, Chrome and Safari."),
    ("How do we handle money?", "Amounts are integers in cents; a float never leaves the parser."),
    ("Where did they go hiking?", "Last weekend we walked along the ridge above the lake with the dogs."),
    (
        "What is the retry policy?",
        "Failed messages are tried five times with growing pauses, then go to the dead-letter queue.",
    ),
    ("How is the API versioned?", "A breaking change gets a new path prefix; old versions live for a year."),
    ("Who owns the mobile app?", "The team Harbour maintains the Android and iOS clients since January."),
    (
        "Does the report include tax?",
        "All figures of the monthly report are net; the tax is in the last column.",
    ),
    (
        "How do I get access to staging?",
        "Ask in the channel platform-help; access to staging is granted for a week.",
    ),
    (
        "What broke the build?",
        "Version 4.2 of the parser renamed `parse_all`, and our wrapper still calls it.",
    ),
    ("Why do we avoid global state?", "Two workers shared one client object, and responses were mixed up."),
    ("How often is data backed up?", "Snapshots are taken each night at two and kept for thirty-five days."),
    (
        "What instrument does Leo play?",
        "He started the cello when he was seven and still practises every evening.",
    ),
    (
        "Should I use async here?",
        "Use threads for the file export: the library blocks, and async gains nothing.",
    ),
    ("How large is the team?", "There are nine engineers, two designers and a product manager."),
    (
        "What is the naming convention for branches?",
        "Branches begin with the ticket's number and a word or two, in lower case.",
    ),
    ("Why is memory growing?", "The worker keeps every parsed document in a list that nobody empties."),
    ("Which time zone do logs use?", "Log lines carry UTC timestamps with milliseconds."),
)
"""Questions, each with a text that answers it; the other texts do not."""

NEARLY_SAID: Final[tuple[tuple[str, str], ...]] = (
    (
        "A deploy to production needs the approval of two reviewers.",
        "A deploy to production needs approval of two reviewers.",
    ),
    ("Log lines carry UTC timestamps with milliseconds.", "Log lines have UTC timestamps with milliseconds."),
    (
        "Amounts are integers in cents; a float never leaves the parser.",
        "Amounts are integers in cents; floats never leave the parser.",
    ),
    (
        "Run `make lint` before each commit; it formats the code as well.",
        "Run `make lint` before every commit; it also formats the code.",
    ),
    (
        "We test on the last two versions of Firefox, Chrome and Safari.",
        "We test on the two last versions of Firefox, Chrome and Safari.",
    ),
    (
        "There are nine engineers, two designers and a product manager.",
        "There are nine engineers, two designers and one product manager.",
    ),
    (
        "Full text search runs on OpenSearch; Postgres holds the records.",
        "Full-text search runs on OpenSearch, and Postgres holds the records.",
    ),
    (
        "Snapshots are taken each night at two and kept for thirty-five days.",
        "Snapshots are taken every night at two and are kept for thirty-five days.",
    ),
)
"""Texts that say the same in nearly the same words: near-duplicates."""
