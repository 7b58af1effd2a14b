"""Mutually exclusive alternatives of one kind: databases, editors, days of the week."""

from collections.abc import Mapping

from memory_layer.domain.text.opposites import word_set

_KINDS = """
postgres, postgresql, mysql, mariadb, sqlite, oracle, mongodb, dynamodb, cassandra, cockroachdb, sql server
kafka, rabbitmq, sqs, nats, pulsar, kinesis
jenkins, github actions, gitlab ci, circleci, travis, buildkite, teamcity, azure pipelines
npm, pnpm, yarn, bun
pip, uv, poetry, conda, pipenv
vue, react, angular, svelte, solid, ember
python, typescript, javascript, java, kotlin, go, rust, ruby, php, c#, scala, elixir, swift
vim, neovim, emacs, vs code, pycharm, intellij, sublime, helix, zed
aws, azure, gcp, google cloud, hetzner
slack, teams, discord, zulip, mattermost
jest, vitest, mocha, jasmine
pytest, unittest, nose
cypress, playwright, selenium
rest, graphql, grpc, soap
json, yaml, toml, xml, ini
celery, sidekiq, rq, dramatiq, resque
vercel, netlify, heroku, cloudflare pages
terraform, pulumi, cdk, cloudformation, ansible
oauth, api keys, basic auth, mtls, session cookies
redis, memcached
elasticsearch, opensearch, solr, meilisearch
docker, podman
kubernetes, nomad, ecs, docker swarm
nginx, caddy, apache, haproxy, traefik
sentry, rollbar, bugsnag
datadog, new relic, grafana
jira, linear, trello, asana
webpack, vite, rollup, parcel, esbuild
black, ruff, yapf
prettier, biome
maven, gradle, bazel
uuid, uuids, ulid, ulids, bigint, bigints, serial
main, master, develop, trunk
utc, local time
merge commits, squash merges, rebase merges
monday, tuesday, wednesday, thursday, friday, saturday, sunday
mondays, tuesdays, wednesdays, thursdays, fridays, saturdays, sundays
january, february, march, april, may, june, july, august, september, october, november, december
macos, linux, windows
bash, zsh, fish, powershell
camelcase, snake_case, kebab-case, pascalcase
single quotes, double quotes
english, german, french, spanish, italian, portuguese
coffee, tea
deutsch, englisch, franzosisch, spanisch, italienisch
montag, dienstag, mittwoch, donnerstag, freitag, samstag, sonntag
montags, dienstags, mittwochs, donnerstags, freitags, samstags, sonntags
"""

EXCLUSIVE: Mapping[str, int] = {
    name.strip(): kind for kind, line in enumerate(_KINDS.strip().splitlines()) for name in line.split(",")
}
"""Number of its kind by name, in lower case."""

SINGLE_VALUED = word_set("""
    default defaults favourite favorite primary main name named names called live lives prefer prefers preferred
    stored kept hosted deployed deploy located based born region branch owner owned lead maintained returned
    formatted serialized goes go through editor language manager timezone employer birthday married moved signed
    approval approved written
    encoded built packaged authenticates authenticate works-at comes come
    stores keeps saves lives resides hashed encrypted compressed hosts
    geschrieben verfasst gespeichert abgelegt gehostet benannt heisst
    """)
"""Words that introduce a single value: where somebody lives, what a default is."""

CHOICE_WORDS = SINGLE_VALUED | word_set(
    "use uses is are run runs choose chose pick picked manage build ist sind wird werden nutzen nutzt verwenden"
    " verwendet"
)
"""Words that choose one of two things of one kind."""

ADDITIVE = word_set(
    "also too additionally another or and either both including reads read supports support accepts accept contains"
    " contain includes include speaks knows likes plays visited visits owns has have some sometimes often"
)
"""Words with which a second thing in the same place does not exclude the first."""
