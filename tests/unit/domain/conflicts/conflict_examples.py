"""Pairs of memories by hand: those that contradict each other, and those that only look as if they did.

Two lines are a pair, the second after a mark; the number in it is the cosine of the two, from the product's
embedding model.
"""

from __future__ import annotations

NEGATION = """
The login tests work offline.
! 0.95 The login tests do not work offline.
Commit the generated client to the repository.
! 0.84 Do not commit the generated client to the repository.
The deploy script can be run twice.
! 0.94 The deploy script cannot be run twice.
The reports service uses Kafka.
! 0.81 The reports service no longer uses Kafka.
The orders table is partitioned by month.
! 0.92 The orders table isn't partitioned by month.
The rate limiter counts failed requests.
! 0.91 The rate limiter doesn't count failed requests.
You should seed the database before the end-to-end tests.
! 0.96 You shouldn't seed the database before the end-to-end tests.
Cursor pagination works on the audit endpoint.
! 0.92 Cursor pagination does not work on the audit endpoint: it answers 400.
Maria drinks coffee.
! 0.75 Maria does not drink coffee.
Jonas has a driving licence.
! 0.73 Jonas has no driving licence.
The import job needs a lock.
! 0.86 No lock is needed by the import job.
Terraform state is locked during plan.
! 0.97 Terraform state is not locked during plan.
The SDK retries on 429 responses.
! 0.78 The SDK won't retry on 429 responses.
Snapshots are reviewed before each release.
! 0.97 Snapshots aren't reviewed before each release.
Elena will join the platform team in May.
! 0.82 Elena will not join the platform team in May.
The mobile app sends the device id with each request.
! 0.74 The mobile app never sends the device id with each request.
The container runs as root.
! 0.89 The container must not run as root.
Deleting a project also deletes its memories.
! 0.92 Deleting a project does not delete its memories.
Squashing is permitted on release branches.
! 0.96 Squashing isn't permitted on release branches.
The linter fails the build on warnings.
! 0.96 The linter doesn't fail the build on warnings, only on errors.
The staging database is a copy of production.
! 0.80 The staging database is not a copy of production.
The exporter streams rows to S3 and never holds more than one page in memory.
! 0.80 The exporter does not stream rows to S3.
Gotcha: the mock server doesn't validate request bodies, so contract tests can pass by mistake.
! 0.81 The mock server validates request bodies.
The nightly reindex blocks writes on the catalogue.
! 0.81 Writes on the catalogue are not blocked by the nightly reindex.
We don't support IE11 any more.
! 0.86 IE11 is still supported.
Julia is vegetarian.
! 0.87 Julia isn't vegetarian, she just dislikes beef.
The worker pool shares one database connection.
! 0.89 Each worker in the pool has its own database connection; they don't share one.
Do write docstrings for private helpers.
! 0.81 Docstrings aren't needed for private helpers.
The invoice PDF is generated on the fly.
! 0.83 Invoice PDFs are not generated on the fly but stored in the bucket.
Ravi speaks fluent Japanese.
! 0.86 Ravi doesn't speak Japanese at all.
Rollbacks are possible within ten minutes of a deploy.
! 0.90 You cannot roll back within ten minutes of a deploy.
The beta programme is open to customers in Canada.
! 0.82 The beta programme isn't open to customers in Canada.
The CLI reads its settings from the home directory.
! 0.85 The CLI doesn't read settings from the home directory.
"""

OPPOSITE = """
Always run the full test suite before a release.
! 0.86 Never run the full test suite before a release.
Use floats for prices.
! 0.95 Avoid floats for prices.
Always mock the payment gateway in unit tests.
! 0.81 Unit tests should never mock the payment gateway.
Enable query logging in production.
! 0.83 Disable query logging in production.
The tenant header is required on every request.
! 0.95 The tenant header is optional on every request.
Force pushes to release branches are allowed.
! 0.96 Force pushes to release branches are prohibited.
Daniel indents with tabs.
! 0.82 Daniel indents with spaces.
Invalidate the cache before writing to the database.
! 0.99 Invalidate the cache after writing to the database.
The export endpoint is synchronous.
! 0.92 The export endpoint is asynchronous.
Config objects are immutable after start.
! 0.77 Config objects are mutable after start.
The design system repository is public.
! 0.87 The design system repository is private.
A larger heap increases the pause times of the indexer.
! 0.97 A larger heap decreases the pause times of the indexer.
Foreign keys are turned on in the test database.
! 0.94 Foreign keys are turned off in the test database.
The order of events in the stream is guaranteed: true.
! 0.96 The order of events in the stream is guaranteed: false.
It is safe to run migrations while traffic flows.
! 0.97 It is unsafe to run migrations while traffic flows.
Laura likes pair programming.
! 0.86 Laura hates pair programming.
Prefer composition over inheritance in the domain layer.
! 0.98 Prefer inheritance over composition in the domain layer.
Integration tests should use a real database.
! 0.93 Avoid a real database in integration tests.
Ben prefers working from home.
! 0.84 Ben prefers working from the office.
Log messages are written in upper case.
! 0.93 Log messages are written in lower case.
The first deploy to a new region succeeded.
! 0.88 The first deploy to a new region failed.
Keep the feature flag for the new checkout.
! 0.88 Remove the feature flag for the new checkout.
Sort invoices ascending by due date.
! 0.97 Sort invoices descending by due date.
The search index is stateless.
! 0.86 The search index is stateful.
Everyone on the team is allowed to approve deploys.
! 0.86 Nobody on the team is allowed to approve deploys.
Decision: feature flags are mandatory for every change to checkout. Ask Nina for a key.
! 0.83 Feature flags are optional for every change to checkout.
Before you deploy, drain the node. Always take a snapshot of the volume.
! 0.50 Never take a snapshot of the volume. It blocks writes for minutes.
Never swallow exceptions in the sync client.
! 0.94 It's fine to swallow exceptions in the sync client.
Always use UTC in log timestamps.
! 0.92 Never use UTC in log timestamps; local time is easier to read.
Two-factor login is mandatory for contractors.
! 0.85 Contractors can opt out of two-factor login.
Autoscaling is enabled for the worker group.
! 0.89 We disabled autoscaling for the worker group.
Prefer fixtures over factories in the API tests.
! 0.94 In the API tests prefer factories over fixtures.
Claire loves horror films.
! 0.85 Claire can't stand horror films.
Nested transactions are safe with this driver.
! 0.93 Nested transactions are risky with this driver.
Warm the cache before switching traffic.
! 0.97 Warm the cache after switching traffic.
The status page is public.
! 0.77 The status page is only visible inside the company.
Retries make the checkout faster.
! 0.97 Retries make the checkout slower.
Comments in SQL migrations are encouraged.
! 0.92 Avoid comments in SQL migrations.
"""

VALUE = """
The request timeout is 30 seconds.
! 0.97 The request timeout is 30 minutes.
The project runs on Python 3.9.
! 0.96 The project runs on Python 3.11.
Postgres listens on port 5432.
! 0.96 Postgres listens on port 5433.
Retry failed uploads 3 times.
! 0.94 Retry failed uploads 5 times.
The maximum payload of the ingest API is 256 KB.
! 0.94 The maximum payload of the ingest API is 1 MB.
Sessions expire after 24 hours.
! 0.93 Sessions expire after 7 days.
The access log is kept for 30 days.
! 0.92 The access log is kept for 90 days.
The build needs at least 4 GB of memory.
! 0.98 The build needs at least 8 GB of memory.
Peter's daughter is 6 years old.
! 0.95 Peter's daughter is 9 years old.
The conference talk is on 12 May.
! 0.89 The conference talk is on 19 May.
The search API returns 50 results per page.
! 0.96 The search API returns 100 results per page.
Use a line length of 88.
! 0.80 Use a line length of 120.
The staging cluster has three nodes.
! 0.91 The staging cluster has five nodes.
Lambda memory for the resize function is set to 512 MB.
! 0.95 Lambda memory for the resize function is set to 2 GB.
The error budget is 0.1 percent.
! 0.93 The error budget is 1 %.
The load balancer's idle timeout is 60 s.
! 0.87 The load balancer's idle timeout is 350 s.
Our SLA for P1 incidents is 15 minutes.
! 0.92 Our SLA for P1 incidents is 1 hour.
React 18 is used in the dashboard.
! 0.93 React 19 is used in the dashboard.
The delete endpoint answers with 204.
! 0.90 The delete endpoint answers with 200.
Lambda functions in this account have a concurrency limit of 100. Ask for more early.
! 0.91 Lambda functions in this account have a concurrency limit of 1,000.
Caroline has been a nurse for four years.
! 0.94 Caroline has been a nurse for seven years.
The queue's visibility timeout is 5 minutes.
! 0.88 Visibility timeout of the queue: 30 seconds.
Max upload size is 25 MB.
! 0.85 Uploads can be up to 100 MB.
The app targets Android 13.
! 0.91 The app targets Android 14.
Deploy freezes start on 20 December.
! 0.95 Deploy freezes start on 15 December.
The team has six engineers.
! 0.86 There are eight engineers in the team.
Keep functions under 30 lines.
! 0.89 Keep functions under 60 lines.
Grafana runs on port 3000.
! 0.88 Grafana is on port 3001.
Backups are retained for 14 days.
! 0.91 Backups are retained for a month.
Our free tier includes 1,000 requests per day.
! 0.97 Our free tier includes 5,000 requests per day.
Max's flat has two bedrooms.
! 0.98 Max's flat has three bedrooms.
"""

CHOICE = """
We use Postgres for the ledger.
! 0.84 We use MySQL for the ledger.
The frontend is written in Vue.
! 0.63 The frontend is written in React.
Deploys go through Jenkins.
! 0.70 Deploys go through GitHub Actions.
The package manager of this project is pnpm.
! 0.64 The package manager of this project is yarn.
The production region is eu-central-1.
! 0.72 The production region is us-east-1.
Hannah lives in Vienna.
! 0.79 Hannah lives in Madrid.
Carlos works at Siemens.
! 0.75 Carlos works at Bosch.
Mia's favourite editor is Emacs.
! 0.77 Mia's favourite editor is VS Code.
Primary keys are ULIDs.
! 0.75 Primary keys are bigints.
Name test files with the suffix _test.py.
! 0.80 Name test files with the prefix test_.
Timestamps are stored in UTC.
! 0.90 Timestamps are stored in local time.
The team retro is on Friday.
! 0.93 The team retro is on Wednesday.
Background jobs run on Celery.
! 0.56 Background jobs run on Sidekiq.
Ivan's sister is called Olga.
! 0.76 Ivan's sister is called Vera.
The API authenticates with OAuth.
! 0.83 The API authenticates with API keys.
Use Playwright for end-to-end tests. Traces are uploaded on failure.
! 0.43 Use Cypress for end-to-end tests.
My sister Lucia lives in Rome with her husband.
! 0.87 My sister Lucia lives in Turin with her husband.
Feature flags come from LaunchDarkly.
! 0.77 Feature flags come from Unleash.
Our message broker is RabbitMQ.
! 0.68 Our message broker is Kafka.
The mobile app is built with Flutter.
! 0.70 The mobile app is built with React Native.
Emma studies law.
! 0.70 Emma studies medicine.
Alerts are sent to PagerDuty.
! 0.65 Alerts are sent to Opsgenie.
The capital of the project's test country is Bern.
! 0.84 The capital of the project's test country is Zurich.
Format Python code with black.
! 0.68 Format Python code with ruff.
Noah was born in Dublin.
! 0.87 Noah was born in Cork.
"""

AGREEING = """
The request timeout is 30 seconds.
! 0.89 The request timeout is 30000 ms.
Never commit secrets.
! 0.91 Do not commit secrets.
Never forget to bump the schema version.
! 0.90 Always bump the schema version.
Avoid not closing file handles in the importer.
! 0.91 Close file handles in the importer.
The container must not run as root.
! 0.82 Never run the container as root.
Use uv instead of pip.
! 0.94 Don't use pip; use uv.
The tenant header is required on every request.
! 0.94 Every request must carry the tenant header.
The tenant header is required on every request.
! 0.94 The tenant header is not optional on every request.
Query logging is disabled in production.
! 0.95 Query logging is not enabled in production.
Query logging is off in production.
! 0.93 In production, query logging is turned off.
Sessions expire after 24 hours.
! 0.94 Sessions expire after 1 day.
Sessions expire after one week.
! 0.95 Sessions expire after 7 days.
Retry failed uploads three times.
! 0.99 Retry failed uploads 3 times.
Postgres listens on port 5432.
! 0.94 Port 5432 is the one Postgres listens on.
Maria drinks coffee.
! 0.80 Maria likes to drink coffee in the morning.
Daniel indents with tabs.
! 0.76 Daniel prefers tabs to spaces.
Daniel indents with tabs, not spaces.
! 0.87 Daniel indents with tabs.
We use Postgres for the ledger.
! 0.91 The ledger uses PostgreSQL.
Prefer composition over inheritance in the domain layer.
! 0.92 Use composition rather than inheritance in the domain layer.
The maximum payload of the ingest API is 1 MB.
! 0.93 The maximum payload of the ingest API is 1024 KB.
The import job cannot be run twice.
! 0.96 It is impossible to run the import job twice.
The linter fails the build on warnings.
! 0.96 Warnings of the linter fail the build.
It is unsafe to run migrations while traffic flows.
! 0.95 It is not safe to run migrations while traffic flows.
Hannah lives in Vienna.
! 0.89 Hannah's home is in Vienna.
Mock the payment gateway in unit tests.
! 0.93 Always mock the payment gateway in unit tests.
Avoid sleeping in tests.
! 0.90 Never sleep in tests.
Tests must not depend on each other.
! 0.80 Tests should be independent of each other.
The deploy fails without the VPN.
! 0.94 The deploy does not work without the VPN.
Coverage must be at least 80 %.
! 0.98 Coverage must be at least 80 percent.
The export runs at 02:00 every night.
! 0.95 Every night at 2:00 the export runs.
The orders table has 1,200,000 rows.
! 0.95 The orders table has 1.2 million rows.
The retry delay is half a second.
! 0.91 The retry delay is 500 ms.
Do not disable TLS verification.
! 0.87 Never turn off TLS verification.
Deploys on Friday are not allowed.
! 0.97 Deploys on Friday are forbidden.
We don't use MySQL for the ledger, we use Postgres.
! 0.81 We use Postgres for the ledger.
The gateway calls the billing service.
! 0.94 The billing service is called by the gateway.
Run the migrations before the deploy.
! 0.88 Deploy after running the migrations.
The proxy needs 2 to 4 GB of memory.
! 0.98 The proxy needs 3 GB of memory.
The nightly job takes about 20 minutes.
! 0.93 The nightly job takes 22 minutes.
Never swallow exceptions in the sync client.
! 0.97 Don't swallow exceptions in the sync client.
The queue's visibility timeout is 5 minutes.
! 0.88 Visibility timeout of the queue: 300 seconds.
Autoscaling is on for the worker group.
! 0.93 Autoscaling is enabled for the worker group.
You must not share one connection between workers.
! 0.78 Workers must never share one connection.
IE11 is no longer supported.
! 0.82 We dropped support for IE11.
Max upload size is 25 MB.
! 0.90 Uploads can be up to 25 MB.
Warm the cache before switching traffic.
! 0.91 Don't switch traffic before the cache is warm.
Two-factor login is mandatory for contractors.
! 0.77 Contractors cannot opt out of two-factor login.
Claire can't stand horror films.
! 0.89 Claire hates horror films.
Rollbacks work only within ten minutes of a deploy.
! 0.81 After ten minutes a deploy cannot be rolled back.
Keep functions under 30 lines.
! 0.86 Functions should not exceed 30 lines.
Ravi doesn't drink alcohol.
! 0.89 Ravi never drinks alcohol.
Do not retry non-idempotent requests.
! 0.93 Only retry idempotent requests.
The API returns 404 for unknown ids, not 400.
! 0.89 For unknown ids the API returns 404.
"""

UNRELATED = """
The request timeout is 30 seconds.
! -0.05 Maria drinks coffee.
Always pin dependencies.
! 0.19 Never deploy on Fridays.
Use floats for coordinates.
! 0.29 Avoid global variables.
The orders table is partitioned by month.
! -0.03 The login page does not load custom fonts.
Postgres listens on port 5432.
! 0.02 Sessions expire after 7 days.
Enable gzip on the CDN.
! 0.23 Disable autoplay in the gallery.
Hannah lives in Vienna.
! 0.32 The archive lives in Glacier.
Retry failed uploads 3 times.
! 0.09 Sprint reviews take 45 minutes.
The reports service uses Kafka.
! 0.28 The search service uses OpenSearch.
Laura likes pair programming.
! 0.43 Laura hates cilantro.
Run the formatter before pushing.
! 0.22 Drain the node after the upgrade.
The tenant header is required.
! 0.25 The description field is optional.
The build needs at least 4 GB of memory.
! 0.10 The office opens at 8.
The SDK retries on 429 responses.
! -0.03 The parser does not accept trailing commas.
The repository is public.
! 0.32 The keys of the signing service are private.
Carlos works at Siemens.
! 0.53 Carlos plays the cello.
Prefer small pull requests.
! 0.03 Avoid abbreviations in column names.
The first migration succeeded.
! 0.24 The smoke test of the mail gateway failed.
React 18 is used in the dashboard.
! 0.20 The mobile app needs Xcode 16.
Config objects are immutable.
! 0.13 The session store is mutable.
Log in JSON.
! 0.48 Do not log request bodies.
The exporter is synchronous.
! 0.38 Webhooks are delivered asynchronously.
The staging cluster has three nodes.
! 0.24 The team has five engineers.
Use feature flags for risky changes.
! 0.12 Never use nested ternaries.
Peter's daughter is 6 years old.
! 0.30 The oldest service is 9 years old.
Deploys go through Jenkins.
! 0.07 Invoices go through Stripe.
Terraform state is kept in S3.
! 0.22 Kubernetes manifests are not templated.
Timestamps are stored in UTC.
! 0.23 Avatars are stored in S3.
Grafana runs on port 3000.
! -0.03 Emma studies law.
Never swallow exceptions in the sync client.
! 0.07 Always book the large room for demos.
The team has six engineers.
! 0.05 The proxy buffers two requests.
Backups are retained for 14 days.
! 0.02 Claire moved in with her brother.
Prefer fixtures in the API tests.
! 0.08 Avoid meetings on Thursdays.
The status page is public.
! 0.29 The settings page is slow.
"""

NEAR_MISS = """
Use Redis for sessions.
! 0.49 Avoid Redis for the ledger.
The request timeout is 5 seconds in tests.
! 0.74 The request timeout is 30 seconds in production.
Before 3.2 the driver did not support transactions.
! 0.84 Since 3.2 the driver supports transactions.
On Windows the build does not work with symlinks.
! 0.81 On Linux the build works with symlinks.
Never forget to release the lock.
! 0.86 Always release the lock.
Issue 12 is fixed.
! 0.73 Issue 15 is not fixed.
Step 2: enable maintenance mode.
! 0.91 Step 5: disable maintenance mode.
We used to use Travis, now we use GitHub Actions.
! 0.74 Use GitHub Actions.
We used Jenkins until 2023.
! 0.26 We use GitHub Actions for deploys.
Should we enable query logging?
! 0.80 Do not enable query logging.
Why does the login test not work offline?
! 0.83 The login test works offline with the recorded responses.
Postgres listens on port 5432.
! 0.64 PgBouncer listens on port 6432.
The primary listens on port 5432.
! 0.72 The replica listens on port 5433.
The API accepts between 1 and 100 ids.
! 0.91 The API accepts 50 ids in one call.
The timeout is 30 s by default.
! 0.70 The timeout is 60 s when `--slow` is given.
Hannah was in Vienna on 3 March.
! 0.69 Hannah was in Madrid on 9 April.
The reports service uses Kafka.
! 0.67 The reports service uses Postgres.
We use Python for the backend.
! 0.71 We use TypeScript for the frontend.
Use `git rebase` on feature branches.
! 0.76 Do not use `git rebase` on shared branches.
Always run the unit tests.
! 0.50 Never run the load tests on a laptop.
Do not use print in library code.
! 0.57 Use print in command-line scripts.
The export endpoint is asynchronous.
! 0.59 The export endpoint answers 202 with a job id.
Enable caching for GET requests.
! 0.71 Disable caching for POST requests.
When the cache is cold the first request takes 2 s.
! 0.84 When the cache is warm the first request takes 20 ms.
Maria does not drink coffee after noon.
! 0.74 Maria drinks coffee in the morning.
The deploy failed on Monday.
! 0.81 The deploy succeeded on Tuesday.
The tests took 340 s before the change.
! 0.83 The tests took 95 s after the change.
Do not delete the lock file by hand.
! 0.81 The lock file is deleted by the cleanup job.
Avoid SELECT * in application code.
! 0.36 Use explicit column lists in application code.
ADR-3 is accepted.
! 0.82 ADR-4 is rejected.
Python 3.9 is not supported.
! 0.78 Python 3.11 is supported.
The v1 API returns 50 results per page.
! 0.94 The v2 API returns 100 results per page.
Node 18 reached end of life.
! 0.50 The build image contains Node 20.
Jonas's brother has a driving licence.
! 0.69 Jonas has no driving licence.
The first retry waits 1 second.
! 0.94 The second retry waits 2 seconds.
The cache holds up to 1000 entries.
! 0.77 The cache held 640 entries on Monday.
Use tabs in Makefiles.
! 0.30 Use spaces in Python files.
Use const for values that never change.
! 0.50 Use let for values that change.
Do not merge without a review.
! 0.86 Merge with a review.
The job can be cancelled before it starts.
! 0.94 The job cannot be cancelled after it starts.
Unless the flag is set, the worker does not retry.
! 0.77 With the flag set, the worker retries.
The access log is kept for 30 days.
! 0.75 The audit log is kept for 365 days.
Ben prefers tea.
! 0.43 Lena prefers coffee.
Python 3.9 or newer is required.
! 0.70 Python 3.11 is used in CI.
The importer reads CSV.
! 0.48 The importer reads NDJSON as well.
A request takes 120 ms on average.
! 0.82 A request takes 900 ms at worst.
Not only admins can approve deploys.
! 0.94 Admins can approve deploys.
The linter fails the build on errors.
! 0.86 The linter does not fail the build on warnings.
Elena joined the platform team in 2021.
! 0.76 Elena joined the search team in 2024.
Avoid large transactions in migrations.
! 0.90 Use small transactions in migrations.
Public endpoints need a rate limit.
! 0.83 Private endpoints need no rate limit.
The left panel of the editor is resizable.
! 0.95 The right panel of the editor is not resizable.
Large files are streamed to the bucket.
! 0.92 Small files are streamed to the bucket.
The gateway calls the billing service.
! 0.83 The billing service does not call the gateway.
Copy snapshots from production to staging.
! 0.78 Never copy snapshots from staging to production.
Run the migrations before the deploy.
! 0.97 Run the deploy after the migrations.
I like tea.
! 0.77 You don't like tea.
Some integration tests need Docker.
! 0.92 Some integration tests do not need Docker.
Status 404 is returned for unknown projects.
! 0.55 Status 403 is returned for foreign projects.
Python 3.11 is slow on this machine.
! 0.93 Python 3.12 is slow on this machine.
We don't use MySQL for the ledger.
! 0.73 We don't use Oracle for the ledger.
TODO: enable the audit log in staging.
! 0.81 The audit log is disabled in staging.
The import might fail on large files.
! 0.93 The import does not fail on large files, it is only slow.
The scheduler is reliable. It does not support cron expressions.
! 0.72 The queue is reliable. It supports cron expressions.
The server answered 404 to the health check.
! 0.76 The server answered 500 to the health check.
The team discussed Vue for the dashboard.
! 0.65 The team discussed React for the dashboard.
Melanie ran a race on 20 May.
! 0.83 Melanie ran a race on 3 July.
Andrew has a dog called Toby.
! 0.78 Andrew has a dog called Scout.
Local builds use SQLite.
! 0.80 Remote builds do not use SQLite.
Scale up the workers at nine.
! 0.78 Do not scale down the workers at nine.
Never retry payments automatically.
! 0.45 Always retry webhooks automatically.
Feature flags for the web come from LaunchDarkly.
! 0.62 Feature flags for mobile come from Firebase.
Emma studied law.
! 0.66 Emma studies medicine.
Backups of the catalogue are retained for 14 days.
! 0.64 Backups of the ledger are retained for 10 years.
The worker doesn't start without the licence file.
! 0.84 The worker starts with a dummy licence file.
Incident 41 was caused by an expired certificate.
! 0.77 Incident 47 was not caused by an expired certificate.
Do not cache user profiles.
! 0.70 Cache user avatars.
Run the load test with 50 users first.
! 0.94 Run the load test with 500 users afterwards.
Noah met Lea in Dublin.
! 0.90 Noah met Lea in Cork.
The preview build disables analytics.
! 0.58 The production build enables analytics.
The old scheduler ran every minute.
! 0.76 The new scheduler runs every ten seconds.
Autoscaling is enabled in us-east-1.
! 0.82 Autoscaling is disabled in eu-west-1.
Use `--frozen` in CI.
! 0.62 Do not use `--frozen` on a laptop.
Claire loves horror films.
! 0.75 Claire's husband hates horror films.
The first page has 10 results.
! 0.79 The last page has 3 results.
Version 1.8 of the SDK leaks sockets.
! 0.91 Version 1.9 of the SDK doesn't leak sockets.
Cache entries live for 60 s.
! 0.73 Cache entries are refreshed after 45 s.
Never edit the generated files.
! 0.87 Never commit the generated files.
We deploy on Mondays.
! 0.95 We deploy on Mondays and Wednesdays.
Alerts for the API are sent to PagerDuty.
! 0.57 Alerts for the API are sent to Slack as well.
The team has six engineers.
! 0.55 The team has two designers.
If the token is missing, the API answers 401.
! 0.77 If the token is expired, the API answers 403.
Mark doesn't own a car.
! 0.62 Mark rents a car in summer.
Do you still support Python 3.9?
! 0.72 Python 3.9 is not supported.
The migration took 12 minutes on staging.
! 0.84 The migration took 48 minutes on production.
Avoid mocking what you don't own.
! 0.73 Mock what you own.
The search box is on the left.
! 0.62 The filter box is on the right.
Don't log tokens.
! 0.75 Log token ids.
"""
