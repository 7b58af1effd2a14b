"""Pairs of memories by hand, in looser words, as different people would write them; read only to judge.

The format is that of `conflict_examples`. No rule was changed after it was measured on these pairs: recall here
is what to expect of it.
"""

from __future__ import annotations

NEGATION = """
The audit table can be truncated at any time.
! 0.80 You must not truncate the audit table.
The staging certificates renew themselves.
! 0.79 Staging certificates don't renew themselves, so put a reminder in the calendar.
Webhooks are signed.
! 0.76 We do not sign webhooks.
There is a staging environment for the billing service.
! 0.59 The billing service has no staging environment.
Wei likes spicy food.
! 0.90 Wei doesn't like spicy food at all.
The batch API preserves the order of its input.
! 0.90 The order of the input is not preserved by the batch API.
Hot reload works inside the container.
! 0.93 Hot reload doesn't work inside the container on our setup.
We pay for the enterprise plan of Sentry.
! 0.79 We no longer pay for the enterprise plan of Sentry.
Helena has met the new client.
! 0.88 Helena hasn't met the new client yet.
"""

OPPOSITE = """
Wrap every handler in the retry decorator.
! 0.93 Never wrap handlers in the retry decorator.
Use barrel files in the component library.
! 0.59 Avoid barrel files in the component library, they slow the bundler down.
Type checking is strict in the payments module.
! 0.90 Type checking is loose in the payments module.
Screenshots are required for UI changes.
! 0.94 UI changes don't require screenshots.
Deploying on a Friday is fine.
! 0.84 Deploying on a Friday is forbidden.
Omit the trailing slash in API paths.
! 0.95 Always include the trailing slash in API paths.
Lock the schema registry before a release.
! 0.88 Unlock the schema registry before a release.
Samir enjoys code reviews.
! 0.87 Samir hates code reviews.
New endpoints are internal by default.
! 0.83 New endpoints are public by default.
"""

VALUE = """
The password must have at least 12 characters.
! 0.89 Passwords must have at least 8 characters.
Our API allows 100 requests per minute per key.
! 0.95 The API allows 60 requests per minute per key.
The CDN caches images for 1 hour.
! 0.97 The CDN caches images for 24 hours.
The daily sync is at 9.
! 0.83 The daily sync is at 10:30.
Use Java 17 for the gateway.
! 0.82 The gateway uses Java 21.
Tickets are closed after 30 days without an answer.
! 0.93 Tickets are closed after 14 days without an answer.
Rosa has been with the company for two years.
! 0.94 Rosa has been with the company for five years.
Chunk size for embeddings: 512 tokens.
! 0.92 The chunk size for embeddings is 1024 tokens.
"""

CHOICE = """
Our monorepo is managed with Nx.
! 0.67 Our monorepo is managed with Turborepo.
The invoices bucket is in Frankfurt.
! 0.76 The invoices bucket is in Dublin.
Logs are shipped to Datadog.
! 0.63 Logs are shipped to Loki.
Farid drives a Volvo.
! 0.72 Farid drives a Skoda.
The on-call lead this quarter is Tamara.
! 0.71 The on-call lead this quarter is Bruno.
Write commit messages in English.
! 0.88 Write commit messages in German.
Session data is kept in Redis.
! 0.66 Session data is kept in Memcached.
Greta grew up in Malmö.
! 0.81 Greta grew up in Bergen.
"""

AGREEING = """
You must not truncate the audit table.
! 0.90 Truncating the audit table is forbidden.
Webhooks are signed.
! 0.87 We sign webhooks.
UI changes require screenshots.
! 0.94 Screenshots are required for UI changes.
The CDN caches images for 1 hour.
! 0.94 Images are cached by the CDN for 60 minutes.
Omit the trailing slash in API paths.
! 0.98 Don't put a trailing slash in API paths.
Session data is kept in Redis.
! 0.83 We keep session data in Redis, not in Postgres.
The gateway needs Java 17 or later.
! 0.84 The gateway runs on Java 21.
Samir enjoys code reviews.
! 0.93 Samir likes reviewing code.
Don't start the worker until the broker is up.
! 0.92 Start the broker before the worker.
The lock is released when the job ends.
! 0.94 The lock isn't released before the job ends.
"""

UNRELATED = """
Webhooks are signed.
! 0.01 Farid drives a Volvo.
Never wrap handlers in the retry decorator.
! 0.13 Always include the trailing slash in API paths.
The daily sync is at 9.
! 0.18 The password must have at least 12 characters.
Logs are shipped to Datadog.
! -0.04 Greta grew up in Bergen.
"""

NEAR_MISS = """
The invoices bucket is in Frankfurt.
! 0.43 The avatars bucket is in Dublin.
Truncate the cache table at will.
! 0.47 Never truncate the audit table.
Samir hates code reviews.
! 0.81 Sami enjoys code reviews.
Our API allows 100 requests per minute on the basic plan.
! 0.87 Our API allows 1,000 requests per minute on the premium plan.
Hot reload doesn't work in the container.
! 0.73 Hot reload works on the host.
Helena hasn't met the new client.
! 0.77 Helena has met the old client.
Use Java 17 for the gateway.
! 0.45 Use Java 21 for the indexer.
Logs are shipped to Datadog.
! 0.37 Metrics are shipped to Prometheus.
Ship 1: the API. Ship 2: the worker.
! 0.62 Ship 3: the web client.
Farid drives a Volvo.
! 0.55 Farid rides a Bianchi.
Rosa joined in 2019 as an intern.
! 0.63 Rosa became a team lead in 2023.
The build is broken on arm64.
! 0.77 The build works on amd64.
The invoice job doesn't run on holidays.
! 0.67 The invoice job runs on weekdays.
Is the trailing slash required?
! 0.94 The trailing slash is not required.
We were on Heroku before the migration.
! 0.24 We are on AWS.
Do not lock the table for reads.
! 0.79 Lock the table for writes.
PR 318 adds the retry decorator.
! 0.74 PR 344 removes the retry decorator from tests.
The parser accepts trailing commas in lists.
! 0.79 The parser doesn't accept trailing commas in calls.
Response times were 200 ms in January.
! 0.79 Response times were 350 ms in March.
At least 12 characters are needed for a password.
! 0.85 A password of 16 characters is recommended.
"""
