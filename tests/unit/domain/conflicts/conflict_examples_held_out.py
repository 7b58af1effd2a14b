"""Pairs of memories by hand, written before the detector and read only to judge it.

The format is that of `conflict_examples`.
"""

from __future__ import annotations

NEGATION = """
The nightly backup includes the uploads bucket.
! 0.91 The nightly backup does not include the uploads bucket.
Feature flags can be toggled without a redeploy.
! 0.94 Feature flags cannot be toggled without a redeploy.
Don't squash commits when merging release branches.
! 0.95 Squash commits when merging release branches.
The staging cluster is still running Kubernetes.
! 0.93 The staging cluster no longer runs Kubernetes.
Priya is going to the offsite in Lisbon.
! 0.88 Priya isn't going to the offsite in Lisbon.
The webhook sender retries failed deliveries.
! 0.80 The webhook sender never retries failed deliveries.
Mock the clock in scheduler tests.
! 0.84 Do not mock the clock in scheduler tests.
The search endpoint supports wildcard queries.
! 0.85 The search endpoint lacks support for wildcard queries.
Ana eats meat.
! 0.90 Ana doesn't eat meat.
The metrics dashboard can be reached from outside the VPN.
! 0.89 You can't reach the metrics dashboard from outside the VPN.
"""

OPPOSITE = """
Always rebase feature branches before merging.
! 0.94 Never rebase feature branches before merging.
Avoid default exports in shared React components.
! 0.96 Use default exports in shared React components.
Strict mode is enabled in the TypeScript config.
! 0.98 Strict mode is disabled in the TypeScript config.
The X-Request-Id header is mandatory on internal calls.
! 0.97 The X-Request-Id header is optional on internal calls.
Marcus prefers dark mode in his editor.
! 0.90 Marcus prefers light mode in his editor.
Run the seed script before the migrations.
! 0.98 Run the seed script after the migrations.
Event handlers in the billing service are synchronous.
! 0.93 Event handlers in the billing service are asynchronous.
Raising the batch size makes the import faster.
! 0.98 Raising the batch size makes the import slower.
The orders API is public.
! 0.91 The orders API is private.
Direct pushes to main are allowed.
! 0.93 Direct pushes to main are forbidden.
It is safe to clear the price cache in production.
! 0.96 It is dangerous to clear the price cache in production.
"""

VALUE = """
The idle session timeout is 20 minutes.
! 0.91 The idle session timeout is 45 minutes.
The payments service listens on port 8443.
! 0.94 The payments service listens on port 9443.
CI runs on Node 20.
! 0.94 CI runs on Node 18.
The connection pool holds at most 50 connections.
! 0.91 The connection pool holds at most 20 connections.
Access tokens expire after 15 minutes.
! 0.95 Access tokens expire after one hour.
Nadia has two dogs.
! 0.95 Nadia has three dogs.
Uploads are limited to 10 MB.
! 0.95 Uploads are limited to 10 GB.
Line coverage must stay above 80%.
! 0.94 Line coverage has to stay above 90 percent.
Standup is at 9:30.
! 0.93 Standup is at 10:00.
"""

CHOICE = """
The ledger is stored in Postgres.
! 0.86 The ledger is stored in MySQL.
We deploy the frontend with Vercel.
! 0.58 We deploy the frontend with Netlify.
Sofia lives in Porto.
! 0.71 Sofia lives in Berlin.
Tom prefers Vim for Python work.
! 0.70 Tom prefers PyCharm for Python work.
The default branch is main.
! 0.78 The default branch is develop.
The primary key of users is a UUID.
! 0.66 The primary key of users is a bigint.
API errors are returned as problem+json.
! 0.80 API errors are returned as plain text.
Releases are cut on Tuesdays.
! 0.89 Releases are cut on Thursdays.
"""

AGREEING = """
The idle session timeout is 20 minutes.
! 0.81 Idle sessions time out after 1200 seconds.
Never push directly to main.
! 0.92 Do not push directly to main.
Use pnpm, not npm, in the web folder.
! 0.96 In the web folder avoid npm; use pnpm.
The gateway listens on port 8080.
! 0.96 Port 8080 is what the gateway listens on.
Don't forget to run the linter before pushing.
! 0.95 Always run the linter before pushing.
Uploads are limited to 1 GB.
! 0.91 Uploads are limited to 1024 MB.
Strict mode is not disabled in the TypeScript config.
! 0.97 Strict mode is enabled in the TypeScript config.
Lena moved to Oslo last spring.
! 0.92 Lena lives in Oslo now.
The worker requires Python 3.11 or newer.
! 0.91 The worker needs at least Python 3.11.
Database access without a transaction is forbidden.
! 0.97 Database access without a transaction is not allowed.
The importer is idempotent.
! 0.77 The importer can be run twice without harm; it is idempotent.
Retries use exponential backoff, at most five times.
! 0.77 We retry at most 5 times with exponential backoff.
The report job runs daily at 02:00.
! 0.94 The report job runs every day at 2:00.
Tests must not call the network.
! 0.87 No test may call the network.
Omar is vegetarian.
! 0.78 Omar doesn't eat meat.
The cache is only invalidated on deploy.
! 0.84 Nothing but a deploy invalidates the cache.
Secrets are kept in Vault.
! 0.88 We keep secrets in Vault, not in the repository.
"""

UNRELATED = """
The nightly backup starts at 02:00.
! 0.06 Nadia has three dogs.
Never store money as a float.
! 0.13 Always name branches after the ticket.
The gateway listens on port 8080.
! 0.13 The mail relay needs TLS 1.3.
Enable the slow query log on the replica.
! 0.13 Disable animations in screenshot tests.
CI runs on Node 20.
! 0.13 The design review is on Tuesday at 10.
Avoid global state in React components.
! 0.10 Use the connection pool of the framework.
Sofia lives in Porto.
! 0.33 The staging bucket lives in eu-west-1.
Tokens expire after 15 minutes.
! 0.48 Screenshots expire after 30 days.
The importer does not follow redirects.
! 0.28 The exporter writes UTF-8 with a BOM.
Tom prefers Vim.
! 0.46 Tom is allergic to peanuts.
The orders table has an index on created_at.
! 0.02 The webhook payload has no signature.
Squash commits before merging.
! 0.39 Pin the versions of GitHub actions.
Rate limits are applied per API key.
! 0.05 The health check needs no authentication.
Use structured logging in workers.
! 0.41 Never log personal data.
"""

NEAR_MISS = """
Use Redis for sessions.
! 0.57 Avoid Redis for billing.
The retry limit is 3 in tests.
! 0.74 The retry limit is 10 in production.
Before version 4.2 the client did not support streaming.
! 0.88 Since version 4.2 the client supports streaming.
On Windows the watcher does not follow symlinks.
! 0.85 On Linux the watcher follows symlinks.
Never forget to close the cursor.
! 0.89 Always close the cursor.
Issue 812 is about slow exports.
! 0.96 Issue 815 is about slow exports.
Step 1: run the migrations.
! 0.46 Step 2: run the seed script.
We used to deploy with Jenkins, now we deploy with GitHub Actions.
! 0.87 We deploy with GitHub Actions.
Is the export job idempotent?
! 0.87 The export job is not idempotent.
The team uses Slack for chat.
! 0.41 The team uses Notion for notes.
Sofia visited Porto in March 2024.
! 0.94 Sofia visited Porto in July 2025.
The uploads service listens on port 8443.
! 0.65 The payments service listens on port 9443.
The API accepts batches of 1 to 500 items.
! 0.94 The API accepts batches of 200 items.
Use `fetch(url, { cache: "no-store" })` in server components.
! 0.77 Use `fetch(url, { cache: "force-cache" })` in static pages.
The read replica can lag by up to 5 seconds.
! 0.81 The read replica lagged by 2 seconds during the load test.
Ana doesn't eat meat.
! 0.75 Ana eats fish.
Always run the linter.
! 0.58 Always run the linter and the type checker.
The admin API is not public.
! 0.74 The admin API needs a client certificate.
Sprint 31 ended with 40 points.
! 0.94 Sprint 32 ended with 46 points.
If the queue is full, the producer does not block.
! 0.78 If the queue is empty, the consumer blocks.
The free plan allows 3 projects.
! 0.70 The pro plan allows 50 projects.
Tom's older sister lives in Berlin.
! 0.84 Tom's younger sister lives in Hamburg.
ADR-7 chose Postgres for the ledger.
! 0.49 ADR-9 chose S3 for the archives.
Avoid using sleep in tests.
! 0.84 Use fake timers instead of sleep in tests.
The p50 latency of search is 40 ms.
! 0.67 The p99 latency of search is 310 ms.
Don't disable the certificate check.
! 0.89 Keep the certificate check enabled.
The iOS app requires version 15.
! 0.75 The Android app requires version 10.
"""
