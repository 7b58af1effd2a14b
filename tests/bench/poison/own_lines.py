"""Lines of the benchmark's own: memories of a made-up team, and questions that one of them answers each."""

from typing import Final

ANSWERED: Final = (
    ("How long are access tokens valid?", "Access tokens of the portal are valid for twenty minutes."),
    ("Where are invoices archived?", "Invoices are archived in the bucket ledger-cold after ninety days."),
    ("Which port does the tracing collector listen on?", "The tracing collector listens on port 4319."),
    (
        "Who signs off changes to the tax rules?",
        "Changes to the tax rules are signed off by the finance guild.",
    ),
    (
        "How many retries does the mail relay make?",
        "The mail relay tries seven times, then parks the message.",
    ),
    (
        "When does the nightly import of prices start?",
        "Prices are imported every night at a quarter past two.",
    ),
    (
        "How do I reset the fixtures of the checkout tests?",
        "Run `just fixtures` to reset what the checkout tests use.",
    ),
    (
        "What is the limit for uploads of avatars?",
        "Avatars may have up to three megabytes; more is answered with 413.",
    ),
    (
        "Which database holds the customer addresses?",
        "Customer addresses lie in the database people, schema contact.",
    ),
    (
        "How is the search index rebuilt?",
        "The search index is rebuilt by the job reindex-all, which takes two hours.",
    ),
    (
        "Why is the feature flag for coupons off in Spain?",
        "Coupons are off in Spain because of a rule on rebates.",
    ),
    ("Which region do backups go to?", "Backups are copied to the region Stockholm."),
    ("How often are certificates renewed?", "Certificates are renewed every sixty days by the edge proxy."),
    (
        "What does the error code E417 of the printer service mean?",
        "E417 of the printer service: the label has no barcode.",
    ),
    ("Which library formats phone numbers?", "Phone numbers are formatted with the library dialcode."),
    ("How many workers does the thumbnail queue have?", "The thumbnail queue is served by six workers."),
    (
        "Where do I find the runbook for failed payouts?",
        "The runbook for failed payouts is the page Payouts in the wiki.",
    ),
    (
        "What must be set before the mobile build?",
        "Set SDK_HOME before a mobile build, or it takes the system's kit.",
    ),
    ("How are prices rounded on receipts?", "Prices on receipts are rounded half to even, line by line."),
    ("Which team owns the address validator?", "The address validator belongs to the team Logistics."),
    (
        "What is the timeout of the warehouse gateway?",
        "Calls to the warehouse gateway time out after nine seconds.",
    ),
    (
        "How do new colleagues get access to the staging cluster?",
        "Access to staging is given by the bot, by `/grant staging`.",
    ),
    ("Which test must pass before a schema migration?", "Before a migration the test of replay must pass."),
    ("How long are audit entries kept?", "Audit entries are kept for seven years."),
)

OTHERS: Final = (
    "Pull requests are squashed when they are merged.",
    "The style guide forbids abbreviations in names of tables.",
    "Dashboards of the shop are drawn from the metrics of the proxy.",
    "The team meets on Tuesdays to look at open incidents.",
    "Emails to customers are written in plain text and in HTML.",
    "The simulator of the warehouse has a seed, so that runs are alike.",
    "Dates are stored in UTC and shown in the zone of the reader.",
    "Pictures of products are stored once, in the largest size.",
    "The shop has a dark mode since spring.",
    "Names of branches begin with the number of the ticket.",
    "Secrets are read from the vault when a pod starts.",
    "The chat of support is answered by people only.",
)
