"""Results of checks by the commands that ran them: which exit code is the check's own, and which says nothing."""

from __future__ import annotations

import pytest

from memory_layer.plugin.hooks.check_results import check_result

CHECKS = """
pytest
pytest -q tests/unit -k 'a or b'
cd x && pytest
cd /srv/shop && source .venv/bin/activate && pytest -q
(cd web && npm test)
CI=1 TZ=UTC pytest -q
env CI=1 pytest
.venv/bin/python -m pytest -q
.venv/bin/pytest
python3 -X dev -m unittest
python -W error -m pytest
python manage.py test
uv run pytest
uv run --with pytest-xdist pytest -n 2
poetry run mypy src
coverage run -m pytest
npx --yes jest
npx tsc --noEmit
time nice -n 5 make test
timeout 600 pytest -q
sudo -u ci make build
npm test
npm t
npm --prefix web run build
npm run test:unit -- --ci
pnpm -r lint
pnpm exec vitest run
yarn workspace web typecheck
yarn jest
bun test
make build
make -j4 clean check
make -C api lint
./gradlew :app:testDebug
mvn -q clean verify
mvn package
go test ./...
cargo +nightly clippy -- -D warnings
cargo test 2>&1
ruff check . && mypy
ruff format --check
pytest 2>&1 > out.txt
pytest > out.txt 2>&1
yes | make test
npm run dev & sleep 2; npm test
rm -rf out; pytest
make migrate || true; pytest
bash -lc 'cd api && pytest -q'
set -o pipefail; pytest -q 2>&1 | tail -3
set -euo pipefail && pytest | tee log
cmake --build out
pytest # || true
""".strip().splitlines()

NO_CHECKS = [
    "ls",
    "pip install pytest",
    "python -m pip install mypy",
    "cat pytest.ini",
    "rg pytest docs/",
    "echo 'next: npm test'",
    'echo "a; pytest"',
    "git commit -m 'run mypy'",
    "git commit -m run && git push",
    "git commit -F - <<'X'\nrun\npytest\nX",
    "which ruff",
    "command -v pytest",
    "pytest --version",
    "pytest --collect-only -q",
    "make -n test",
    "make clean",
    "npm ci",
    "npm install jest",
    "npm run dev",
    "ruff format .",
    "go get ./...",
    "cargo add clippy",
    "python -c 'import pytest'",
    "python tests/pytest.py",
    "grep -rn 'make test' .",
    "vim Makefile",
    "docker run pytest",
    "# pytest",
    "",
    "pytest 'never closed",
]

COVERED = [
    "pytest -q 2>&1 | tail -3",
    "pytest || true",
    "pytest; echo done",
    "pytest\ngit status",
    "pytest &",
    "pytest | grep -c passed",
    "set -o pipefail; pytest | grep -c passed",
    "test -d x || pytest",
    "(pytest) | tail",
    "bash -c 'pytest | tail -1'",
    "for one in a b; do\npytest $one\ndone",
]


@pytest.mark.parametrize(
    "command", [*CHECKS, "cat > a <<'X'\ndon't || x\nX\npytest", "pytest -q \\\n  tests"]
)
def test_the_code_of_a_check_is_its_result(command: str) -> None:
    assert check_result(command, "12 passed, 0 failed, 1 xfailed in 3 s", has_failed=False) == "worked"
    assert check_result(command, "1 failed", has_failed=True) == "failed"


@pytest.mark.parametrize("command", NO_CHECKS)
def test_a_command_that_only_names_a_check_has_no_result(command: str) -> None:
    assert check_result(command, "ok", has_failed=False) is None
    assert check_result(command, "", has_failed=True) is None


@pytest.mark.parametrize("command", COVERED)
def test_a_code_that_something_else_covers_is_unclear(command: str) -> None:
    assert check_result(command, "ok", has_failed=False) == "unclear"
    assert check_result(command, "3 failed", has_failed=True) == "unclear"


@pytest.mark.parametrize(
    "command", ["npm ci && npm test", "pytest && git push", "docker compose up -d && pytest"]
)
def test_success_of_a_chain_is_success_of_its_check_and_its_failure_may_be_anothers(command: str) -> None:
    assert check_result(command, "", has_failed=False) == "worked"
    assert check_result(command, "", has_failed=True) == "unclear"


@pytest.mark.parametrize(
    ("printed", "has_failed", "result"),
    [
        ("3 failed, 2 passed in 1.2s", False, "unclear"),
        ("Found 2 errors in 1 file", False, "unclear"),
        ("FAIL src/a.test.ts", False, "unclear"),
        ("test result: FAILED. 1 passed", False, "unclear"),
        ("Tests run: 3, Failures: 1", False, "unclear"),
        ("Tests run: 3, Failures: 0, Errors: 0", False, "worked"),
        ("0 errors, 3 warnings", False, "worked"),
        ("10 passed, 2 xfailed", False, "worked"),
        ("Command running in background with ID: b1", False, "unclear"),
        ("Process running with session ID 41", False, "unclear"),
        ("[Request interrupted by user for tool use]", True, "unclear"),
        ("Command timed out after 2m 0.0s", True, "unclear"),
        ("Exit code 137\nKilled", True, "unclear"),
        ("Exit code 127\nbash: pytest: command not found", True, "unclear"),
        ("/usr/bin/python: No module named pytest", True, "unclear"),
        ("Exit code 5\nno tests ran in 0.01s", True, "unclear"),
        ("The user doesn't want to proceed with this tool use. The tool use was rejected", True, None),
        ("Permission to use Bash with command pytest has been denied.", True, None),
        ("exec command rejected by user", True, None),
        ("This command requires approval", True, None),
        ("Exit code 1\nE  TimeoutError: no answer within 30 s", True, "failed"),
        ("", True, "failed"),
        ("", False, "worked"),
    ],
)
def test_what_is_printed_only_takes_a_result_away(printed: str, has_failed: bool, result: str | None) -> None:
    assert check_result("pytest -q", printed, has_failed=has_failed) == result
