"""How fast is the console in a browser? Its first page and list, and page changes in each order, of a large project.

    python -m tests.console.page_times [--records 100000] [--changes 5] [--json FILE]

Times are from the click, or the address, to the second frame after the rows are there, by the browser's own clock;
of the first pages from the start of the navigation. Each is of a server and a browser of its own.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np
from rich.console import Console
from rich.table import Table

from memory_layer.domain.list_order import ORDER_FIELDS
from tests.bench.data_folder import Size, loaded_folder, working_copy
from tests.bench.machine import commit_of, machine_facts, told
from tests.bench.plan import CACHE
from tests.bench.servers import Server, running_server
from tests.bench.worker import ROOT, product
from tests.console.conftest import CHROMIUM

WARM_S: Final = 20.0
"""Seconds in which a server has loaded what it loads behind its ready line."""

PATIENCE_MS: Final = 60_000
UNTIL_LISTED: Final = """async ({ act, label, before }) => {
  const pages = () =>
    performance.getEntriesByType("resource").filter((one) => /memories\\?.*limit=50/.test(one.name)).length;
  const seen = before ?? pages();
  const begun = before === 0 ? 0 : performance.now();
  const frame = () => new Promise(requestAnimationFrame);
  performance.setResourceTimingBufferSize(10_000);
  if (act === "press") [...document.querySelectorAll(".pager button")].find((one) => one.textContent === label).click();
  if (act === "go") location.hash = label;
  const isThere = () => pages() > seen && document.querySelector('.table[aria-busy="false"] tbody tr');
  while (!isThere()) await frame();
  await frame();
  await frame();
  return performance.now() - begun;
}"""
"""Milliseconds until a page of the list is shown. Args: before: 0: since the navigation began."""

UNTIL_COUNTED: Final = """async () => {
  const frame = () => new Promise(requestAnimationFrame);
  while (!document.querySelector("main .figure-value")) await frame();
  await frame();
  await frame();
  return performance.now();
}"""

Figures = dict[str, list[float]]


def main() -> None:
    arguments = _arguments()
    cache = arguments.cache.expanduser()
    cache.mkdir(parents=True, exist_ok=True)
    console, facts = Console(width=110), machine_facts()
    folder = loaded_folder(Size(arguments.records), cache, console.print)
    with working_copy(folder) as copy:
        found = measured(copy, arguments.changes)
    console.print(table(found, arguments.records))
    console.print(f"{commit_of(ROOT)}; {told(facts)}")
    if arguments.json:
        report = {"commit": commit_of(ROOT), "machine": facts, "records": arguments.records, "ms": found}
        arguments.json.write_text(json.dumps(report, indent=1))


def measured(folder: Path, changes: int) -> Figures:
    """Milliseconds of each view, by its name. Args: changes: pages that are turned in each order."""
    from playwright.sync_api import sync_playwright

    found: Figures = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        with running_server(folder, questions=0) as server:
            project = _largest(server)
            _recall(server, project)
            with _entered(browser, folder, "") as page:
                found["dashboard, server just started"] = [page.evaluate(UNTIL_COUNTED)]
            with _entered(browser, folder, "") as page:
                found["dashboard, new browser"] = [page.evaluate(UNTIL_COUNTED)]
        for waits_s, name in ((0.0, "just started"), (WARM_S, f"started {WARM_S:g} s ago")):
            with running_server(folder, questions=0):
                time.sleep(waits_s)
                with _entered(browser, folder, f"/{project}/memories") as page:
                    found[f"first list of the process, {name}"] = [page.evaluate(UNTIL_LISTED, {"before": 0})]
                    if waits_s:
                        found |= _changes(page, project, changes)
        browser.close()
    return found


def _changes(page: Any, project: str, changes: int) -> Figures:
    """First page of each order, pages turned in it, and its last page."""
    found: Figures = {}
    for field in ORDER_FIELDS:
        address = f"#/{project}/memories?sort=-{field}"
        first = "first page" if field != ORDER_FIELDS[0] else "first page, once more"
        other = f"#/{project}/memories?sort={field}"
        page.evaluate(UNTIL_LISTED, {"act": "go", "label": other})
        found[f"{field}, {first}"] = [page.evaluate(UNTIL_LISTED, {"act": "go", "label": address})]
        press = {"act": "press", "label": "Next page"}
        found[f"{field}, next page"] = [page.evaluate(UNTIL_LISTED, press) for _ in range(changes)]
        found[f"{field}, last page"] = [page.evaluate(UNTIL_LISTED, {"act": "press", "label": "Last page"})]
    return found


@contextmanager
def _entered(browser: Any, folder: Path, place: str) -> Iterator[Any]:
    """Page of a new browser profile that has opened a link of `mem console`. Args: place: behind the token."""
    command = [*product().COMMAND, "console", "--data", str(folder / "data")]
    link = subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    context = browser.new_context(viewport={"width": 1280, "height": 860})
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.goto(f"{link}{place}", wait_until="commit")
    try:
        yield page
    finally:
        context.close()


def _largest(server: Server) -> str:
    import httpx2

    found = httpx2.get(f"http://127.0.0.1:{server.port}/v1/projects", timeout=60).json()["projects"]
    return str(max(found, key=lambda one: one["total"])["project"])


def _recall(server: Server, project: str) -> None:
    """Recalls once, so that the next server of the folder knows which project was used."""
    import httpx2

    address = f"http://127.0.0.1:{server.port}/v1/projects/{project}/recall"
    httpx2.post(address, json={"query": "how is it deployed?"}, timeout=60).raise_for_status()


def table(found: Figures, records: int) -> Table:
    shown = Table(title=f"Console in Chromium, {records:,} memories in one project")
    shown.add_column("view")
    for name in ("times", "median ms", "most ms"):
        shown.add_column(name, justify="right")
    for name, times in found.items():
        shown.add_row(name, *_cells(times))
    return shown


def _cells(times: Sequence[float]) -> tuple[str, str, str]:
    return str(len(times)), f"{np.median(times):.0f}", f"{max(times):.0f}"


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--changes", type=int, default=5, help="pages that are turned in each order")
    parser.add_argument("--cache", type=Path, default=CACHE, help="where loaded corpora are kept")
    parser.add_argument("--json", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main()
