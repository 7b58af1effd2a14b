"""Starts and stops what the tests of the AWS adapters run against: DynamoDB Local and an OpenSearch node.

    python -m tests.engines start|stop|status|env|missing

start waits until both answer; env prints where they are, for a shell to evaluate; missing names the Debian packages
that start would ask for. MEMORY_LAYER_TEST_DYNAMODB_PORT and MEMORY_LAYER_TEST_OPENSEARCH_PORT name other ports,
JAVA_HOME another JDK, XDG_CACHE_HOME another place for the files. Standard library only.
"""

from __future__ import annotations

import argparse
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests.engines import lifecycle
from tests.engines.dynamodb import DYNAMODB
from tests.engines.engine import Engine
from tests.engines.errors import EngineError
from tests.engines.needs import missing_packages
from tests.engines.opensearch import OPENSEARCH_NODE

ENGINES = (DYNAMODB, OPENSEARCH_NODE)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=COMMANDS)
    os.umask(0o022)  # what root fetches is read by the engines' own user
    try:
        COMMANDS[parser.parse_args().what]()
    except EngineError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def start() -> None:
    """Both at once; a failure of one leaves the other running."""
    if not Path("/proc/self/stat").exists():
        raise EngineError("make engines knows its processes by /proc: it works on Linux only.")
    for engine in ENGINES:
        if not engine.home.is_dir():
            print(f"Fetching {engine.title} (once) ...", flush=True)
    with lifecycle.only_one(), ThreadPoolExecutor() as pool:
        for line in pool.map(_started, ENGINES):
            print(line, flush=True)


def _started(engine: Engine) -> str:
    process, is_new = lifecycle.start(engine)
    return f"{engine.title} {'runs' if is_new else 'was running already'}: {process.endpoint}"


def stop() -> None:
    with lifecycle.only_one():
        for engine in ENGINES:
            was = lifecycle.stop(engine)
            print(f"{engine.title} {f'is stopped (process {was.pid})' if was else 'was not running'}")


def status() -> None:
    for engine in ENGINES:
        process = lifecycle.running(engine)
        print(
            f"{engine.title}: {f'{process.endpoint} (process {process.pid})' if process else 'not running'}"
        )


def env() -> None:
    for engine in ENGINES:
        process = lifecycle.running(engine)
        if not process:
            raise EngineError(f"{engine.title} is not running. Start the engines: make engines")
        print(f"export {engine.variable}={process.endpoint}")


def missing() -> None:
    print(*missing_packages(ENGINES), sep="\n", end="")


COMMANDS = {command.__name__: command for command in (start, stop, status, env, missing)}

if __name__ == "__main__":
    sys.exit(main())
