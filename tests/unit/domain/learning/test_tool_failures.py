"""Failures that are the tools': told by codes and messages, and not where the work failed too."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from memory_layer.domain.learning.german_tellings import GERMAN_CRASHES, GERMAN_TELLINGS, GERMAN_WORK
from memory_layer.domain.learning.run import Analysis, Iteration, RunStatus
from memory_layer.domain.learning.tool_failures import failed_by_tools, tool_failure
from memory_layer.domain.learning.tool_tellings import CRASHES, TELLINGS, WORK_TELLINGS

TOOLS = {
    "vitest run: command ended with exit code 137": "killed",
    "worker.sh: line 12:  4471 Killed                  ./train.py": "killed",
    "Reached heap limit, JavaScript heap out of memory": "memory",
    "fork: Cannot allocate memory": "memory",
    "Bash: the command timed out after 90 seconds": "time",
    "rpc error: code = DeadlineExceeded desc = context deadline exceeded": "time",
    "npm ERR! code ECONNRESET": "network",
    "fatal: unable to access 'https://git.acme.test/shop.git/': Could not resolve host: git.acme.test": "network",
    "Failed to connect to mirror.acme.test port 443: Connection refused": "network",
    "TypeError: fetch failed": "network",
    "dial tcp 192.0.2.7:443: i/o timeout": "network",
    "lookup mirror.acme.test on 192.0.2.53:53: server misbehaving": "network",
    "dial tcp: lookup mirror.acme.test on 127.0.0.53:53: no such host": "network",
    "API error: 429 Too Many Requests, slow down": "limit",
    "error 529: overloaded_error": "limit",
    "cp: write error: No space left on device": "disk",
    "fatal: could not read Username for 'https://git.acme.test': terminal prompts disabled": "credentials",
    "DEPLOY_TOKEN is not set": "credentials",
    "Segmentation fault (core dumped)": "killed",
    "sh: line 1: 51565 Segmentation fault: 11  jest": "killed",
    "Worker process exited before responding! exit code: null, exit signal: SIGSEGV": "killed",
    "Process completed with exit code 139.": "killed",
    "worker exited (139)": "killed",
    "make: *** died with signal 11 (core dumped)": "killed",
    "Speicherzugriffsfehler (Speicherabzug geschrieben)": "killed",
    "fatal: Nicht genügend Arbeitsspeicher": "memory",
    "Speicher kann nicht angefordert werden: kein Hauptspeicher mehr verfügbar": "memory",
    "Zeitüberschreitung der Anforderung.": "time",
    "read: Die Wartezeit für die Verbindung ist abgelaufen": "time",
    "mirror.acme.test: Verbindung abgelehnt": "network",
    "Die Verbindung zu »mirror.acme.test:443« wurde vom Server unterbrochen": "network",
    "Verbindung: mirror.acme.test konnte nicht hergestellt werden": "network",
    "Server mirror.acme.test:443 ist nicht verfügbar": "network",
    "Verbindungsaufbau zu mirror.acme.test … fehlgeschlagen: Verbindungsaufbau abgelehnt.": "network",
    "cp: Auf dem Gerät ist kein Speicherplatz mehr verfügbar": "disk",
    "fatal: Authentifizierung fehlgeschlagen für 'https://git.acme.test/shop.git/'": "credentials",
}

WORK = [
    "AssertionError: expected 429, got 200",
    "expected the client to give up with a connection timeout, but it hung",
    "E   assert response.status_code == 503",
    "SyntaxError: unexpected token in retry.ts",
    "Timeout of 2000ms exceeded; is the done callback called?",
    "Test timed out in 5000ms",
    "connect ECONNREFUSED 127.0.0.1:5432",
    "dial tcp [::1]:5432: i/o timeout",
    "error TS2345: argument of type 'Token' is not assignable",
    "KeyError: 'memory_limit'",
    "exit status 1",
    "The following tests FAILED: 3 - parser (SEGFAULT)",
    "panic: invalid memory address or nil pointer dereference [signal SIGSEGV: segmentation violation]",
    "Wir haben den Speicherzugriffsfehler im Parser behoben.",
    "Die Zeitüberschreitung beträgt 30 Sekunden.",
    "Die Verbindung wird abgelehnt, wenn das Token fehlt.",
    "Test Anmeldung: Zeitüberschreitung",
    "Erwartet 3, aber 4 erhalten: Zeitüberschreitung",
    "localhost: Verbindung abgelehnt",
    "Fix the segmentation fault in the parser",
    "Der Speicher enthält nicht alle Einträge",
    "early exit on line 139 skips the cleanup",
    "early exit on line 137 skips the cleanup",
    "Exit at row 139",
    "signal: 11 is not handled by the switch",
    "signal SIGSEGV is not handled by the switch",
    "Zugriff verweigert: Rolle 'gast' darf /admin sehen (403 statt 200)",
    "Login: Anmeldedaten ungültig trotz richtigem Passwort",
    "Der Rechner zeigt: Wurzel nicht verfügbar",
    "",
]


@pytest.mark.parametrize(("message", "kind"), TOOLS.items())
def test_a_tools_failure_is_told_by_its_message(message: str, kind: str) -> None:
    assert tool_failure(message) == kind


@pytest.mark.parametrize("message", WORK)
def test_a_failure_of_the_work_is_none_of_the_tools(message: str) -> None:
    assert tool_failure(message) is None


def test_no_telling_runs_over_a_whole_message() -> None:
    """A repeat without an end at every line is quadratic: seconds for one message of blank lines."""
    german = [*GERMAN_TELLINGS.values(), GERMAN_CRASHES, GERMAN_WORK]
    tellings = "\n".join([*TELLINGS.values(), CRASHES, WORK_TELLINGS, *german])
    assert re.findall(r"(?:\.|\\[WSs])\*", tellings) == []


HOSTILE = """
from memory_layer.domain.learning.tool_failures import tool_failure
openings = ("Verbindung", "Speicher", "connect", "exit", "Gegenstelle hat", "status", "https://")
runs = (".", "./", ":-", "(", " ", "\\n", "a", " a", ".a", "_", "9", "Verbindung ", "exit ", "connect .")
for opening in openings:
    for run in runs:
        for length in (49, 199, 1000, 8000):
            message = f"{opening} {run * (length // len(run))}"
            tool_failure(message), tool_failure(message + " ok")
"""


def test_no_telling_hangs_over_a_run_of_separators() -> None:
    """Ends by its limit where a repeat within a repeat shares its characters: `Verbindung ` and 49 points hung."""
    subprocess.run([sys.executable, "-c", HOSTILE], check=True, timeout=300)


def step(status: RunStatus, *errors: str, changed: tuple[str, ...] = ()) -> Iteration:
    return Iteration(number=1, status=status, analysis=Analysis(errors=errors), files_modified=changed)


OOM, WRONG = "fork: Cannot allocate memory", "AssertionError: 3 != 4"


def test_the_last_iteration_with_errors_decides() -> None:
    assert failed_by_tools([step("failed", WRONG), step("failed", OOM)]) == "memory"
    assert failed_by_tools([step("failed", WRONG), step("crashed", OOM), step("failed")]) == "memory"
    assert failed_by_tools([step("failed", OOM), step("failed", WRONG)]) is None
    assert failed_by_tools([]) is None


def test_what_was_overcome_ended_no_run() -> None:
    assert failed_by_tools([step("failed", OOM), step("completed")]) is None


def test_where_the_work_failed_too_it_is_the_works() -> None:
    assert failed_by_tools([step("failed", OOM, WRONG)]) is None
    assert failed_by_tools([step("failed", "see the log", OOM)]) == "memory"


@pytest.mark.parametrize(
    ("changed", "kind"),
    [
        ((), "killed"),
        (("web/page.ts", "a.md"), "killed"),
        (("web/page.ts", "src/parse.c"), None),
        (("x.RS",), None),
    ],
)
@pytest.mark.parametrize("message", ["Segmentation fault (core dumped)", "Speicherzugriffsfehler"])
def test_a_crash_is_the_works_where_the_work_can_make_one(
    changed: tuple[str, ...], kind: str | None, message: str
) -> None:
    """Falls without `_changed_native_code`: what is written in TypeScript leaves crashes to its runtime."""
    assert failed_by_tools([step("completed", changed=changed), step("failed", message)]) == kind
