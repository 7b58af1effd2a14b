"""DynamoDB Local: Amazon's own, in memory, a database for every access key and region."""

from __future__ import annotations

import subprocess
import tarfile
import urllib.error
import urllib.request
from pathlib import Path

from tests.engines.artifacts import DYNAMODB_LOCAL, DYNAMODB_LOCAL_VERSION
from tests.engines.engine import Engine
from tests.engines.errors import EngineError
from tests.engines.jdk import Jdk

_RUNNER = Path(__file__).with_name("LoopbackRunner.java")
_JAR = "DynamoDBLocal.jar"
_LIBRARIES = "DynamoDBLocal_lib"
_OLDEST_JAVA = 17
_JAVA_OPTIONS = ("-Xmx768m", "-XX:+UseSerialGC", "-XX:-UsePerfData")
"""With the second compiler: it costs half a minute of processor, and 757 tests then take 127 s of it instead of 176."""
_LIST_TABLES = {
    "X-Amz-Target": "DynamoDB_20120810.ListTables",
    "Content-Type": "application/x-amz-json-1.0",
    "Authorization": "AWS4-HMAC-SHA256 Credential=local/20260101/us-east-1/dynamodb/aws4_request, "
    "SignedHeaders=host, Signature=0",
}


def _lay_out(files: list[Path], jdk: Jdk, home: Path) -> None:
    with tarfile.open(files[0]) as package:
        for member in package.getmembers():
            _, _, below = member.name.partition("/lib/dynamodb_local_")
            content = package.extractfile(member) if below else None
            if content:
                target = home / below.partition("/")[2]
                target.parent.mkdir(exist_ok=True)
                target.write_bytes(content.read())
    _compile(jdk, home)


def _compile(jdk: Jdk, home: Path) -> None:
    libraries = f"{home / _JAR}:{home / _LIBRARIES}/*"
    command = [
        jdk.program("javac"),
        "--release",
        str(_OLDEST_JAVA),
        "-cp",
        libraries,
        "-d",
        str(home),
        str(_RUNNER),
    ]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise EngineError(f"{command[0]} could not compile {_RUNNER.name}:\n{ended.stderr.strip()}")


def _command(jdk: Jdk, home: Path, run: Path, port: int) -> list[str]:
    return [
        jdk.program("java"),
        *_JAVA_OPTIONS,
        f"-Djava.io.tmpdir={run}",
        f"-Djava.library.path={home / _LIBRARIES}",
        *("-cp", f"{home / _JAR}:{home}", _RUNNER.stem),
        *("-inMemory", "-disableTelemetry", "-port", str(port)),
    ]


def _answers(endpoint: str) -> bool:
    request = urllib.request.Request(f"{endpoint}/", data=b"{}", headers=_LIST_TABLES)
    try:
        with urllib.request.urlopen(request, timeout=5) as answer:
            return b"TableNames" in answer.read()
    except (OSError, urllib.error.URLError):
        return False


DYNAMODB = Engine(
    name="dynamodb",
    title=f"DynamoDB Local {DYNAMODB_LOCAL_VERSION}",
    default_port=18000,
    jdk_versions=range(_OLDEST_JAVA, 26),
    artifacts=(DYNAMODB_LOCAL,),
    sources=(_RUNNER,),
    lay_out=_lay_out,
    settings=lambda _run, _data, _port: {},  # all are options of the command
    command=_command,
    answers=_answers,
    start_timeout_s=60,
)
