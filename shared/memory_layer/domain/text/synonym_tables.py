"""Tables of synonyms of software vocabulary, a line for each: `word, other word: what is said for them`."""

from typing import Final

SAME: Final = """
a11y: accessibility
admin: administrator
arg, args: argument
async: asynchronous
attr, attrs: attribute
auth: authentication authorization
authn: authentication
authz: authorization
bool: boolean
cfg, config: configuration
ci: continuous integration
cicd, ci/cd: continuous integration deployment pipeline
creds: credentials
ctx: context
cve, cves: security vulnerability GHSA advisory
db: database
dbs: databases
dep, deps: dependencies
dev: development
dir, dirs: directory
docs: documentation
e2e: end-to-end
env: environment
envs: environments
env var, env vars: environment variable
err, errs: error
exc: exception
fn, func, funcs: function
gha: github actions
gh: github
ghsa: security vulnerability CVE advisory
i18n: internationalization
iac: infrastructure as code
impl: implementation
infra: infrastructure
js: javascript
k8s: kubernetes
l10n: localization
lib, libs: library
lts: long-term support
mfa: multi-factor authentication
msg, msgs: message
mvp: minimum viable product
nr, num: number
o11y: observability
obj: object
oidc: openid connect
org: organization
os: operating system
param, params: parameter
perf: performance
perm, perms: permissions
pg, postgres: postgresql
pkg, pkgs: package
pr, prs: pull request
prod: production
pw, pwd, passwd: password
py: python
rbac: role-based access control
ref, refs: reference
regex, regexp: regular expression
repo: repository
repos: repositories
req, reqs: request
resp: response
rls: row level security
security advisory, security advisories: vulnerability CVE GHSA
security fix, security fixes: vulnerability CVE GHSA advisory
security issue, security issues: vulnerability CVE GHSA advisory
security patch, security patches: vulnerability CVE GHSA advisory fix
spec, specs: specification
srv: server
sso: single sign-on
stats: statistics
str: string
svc: service
sync: synchronization
tdd: test-driven development
tmp: temporary
tls: ssl
ts: typescript
ttl: time to live
tz: timezone
ui: user interface
util, utils: utility
var, vars: variable
vm, vms: virtual machine
vpc: virtual private cloud
2fa: two-factor authentication
vulnerability, vulnerabilities: security CVE GHSA advisory
"""
"""Short forms and what they stand for: a question is searched with both."""

TOPICS: Final = """
accessibility: aria contrast keyboard wcag alt screen reader
alerting, alerts: pager on-call monitoring alarm
authentication, login, signin: login jwt oauth oauth2 token session password credential sso oidc signin
authorization, permission, access control: role scope policy rbac acl access
backup: snapshot restore dump
build: compile bundle bundler webpack vite make
cache, caching: redis memcached ttl invalidate
bandwidth: upload download throughput traffic
code review, review: pull request approve reviewer
continuous integration, pipeline: pipeline workflow jenkins actions build runner
completion, completions: shell bash zsh fish autocomplete
container, containers: docker kubernetes image podman
database: sql postgres postgresql mysql sqlite mongodb schema table migration
dependency, dependencies: package library npm pip requirement lockfile
deploy, deployment, deploying: release rollout ship production staging rollback
documentation: readme docstring comment guide
encryption: tls ssl aes encrypt cipher
error, errors, exception: error exception failure traceback crash raise
error handling: exception try catch raise retry
formatting, formatter: prettier black indentation format whitespace
frontend: react vue css browser component html
git, version control: commit branch merge rebase push tag
indentation: tab space indent
infrastructure: terraform cloudformation cdk pulumi aws
internationalization, translation: locale translation language gettext
kubernetes: pod cluster helm kubectl node
linting, linter, lint: eslint ruff flake8 pylint lint
localization: locale translation language
logging, logs: log logger
message queue, queue: sqs kafka rabbitmq worker job message
migration, migrations: schema alembic flyway
monitoring, observability: metric alert dashboard grafana prometheus trace log
naming, naming convention: name snake_case camelcase pascalcase kebab-case prefix suffix
naming conventions: name snake_case camelcase pascalcase kebab-case prefix suffix
orm: sqlalchemy prisma hibernate
package manager: npm pnpm yarn pip uv poetry
performance: slow fast latency speed throughput optimize
privacy: gdpr personal consent
rate limit, rate limiting: throttle quota 429
release, releases: version tag publish changelog deploy
scheduling, scheduler: cron schedule job
secret, secrets: password token key credential vault
redact, redaction: mask sensitive censor secret
security: vulnerability encryption secret injection xss csrf
state management: redux zustand store
storage: s3 bucket disk
styling: css tailwind sass
test, tests, testing: pytest jest vitest unittest coverage mock fixture
timezone, time zone: utc
vulnerability, vulnerabilities: security cve audit advisory exploit
typing, type checking: mypy typescript pyright annotation
"""
"""Topics and words that a text on them says instead: they count in part for what is asked, and are not searched for."""

ALIKE: Final = """
above below exceed limit maximum minimum size | big huge large size | small little tiny
fast latency performance quick slow speed | legacy obsolete old outdated stale | fresh latest new recent
begin boot launch start | end expire finish stop terminate | delete discard drop erase purge remove wipe
add create insert introduce | alter change edit modify update | deliver emit mail send
fetch get obtain receive retrieve | build compile create generate make produce render
hold keep preserve retain save store | lie live located reside stored | approval approve confirm reviewer sign signoff
ask call contact phone | buyer client customer subscriber | image photo picture screenshot | button component widget
break broken crash error fail failure | cure fix repair resolve solve | revert rollback undo | backup recover restore
down failure incident outage unavailable | body payload request | deep depth level nested | deny forbid refuse reject
allow permit permission | check inspect validate verify | agree choose decide settle | migrate move relocate transfer
job queue task worker | directory folder | credential password secret | computer laptop machine workstation
daily every frequency interval often weekly | holiday leave vacation | issue ticket | deploy release rollout ship
charset encoding utf | address email personal pii privacy | applicant cv resume | company firm organization
amount currency money price | bill billing invoice | cost expense price | handbook manual | login signin
duplicate same twice | exclude ignore omit skip | flaky intermittent unstable | attachment file upload
choice choose pick select | cancel abort stop | employee staff | colleague teammate | mandatory must required
forbidden prohibited | optional voluntary | calculate compute | combine join merge | copy duplicate replicate
display render show | download fetch | fork branch | hide mask | hint note tip | label tag | layout design
list table | monitor observe watch | name call title | notify alert inform | open public | own owner maintain maintainer
pause suspend | plan schedule | print output | purchase buy order | record entry row | rename retitle
replace substitute swap switch | reply answer response | run execute start | shrink reduce compress resize
split divide separate | subscribe register enroll | throttle limit | trace track | wait delay | warn warning caution
"""
"""Words that are said for each other in talk of work: they count in part, and are not searched for."""
