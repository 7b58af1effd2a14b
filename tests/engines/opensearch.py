"""One OpenSearch node with the k-NN plugin, without security, on loopback."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
import zipfile
from pathlib import Path

from tests.engines.artifacts import OPENSEARCH, OPENSEARCH_KNN, OPENSEARCH_VERSION
from tests.engines.engine import LOOPBACK, Engine
from tests.engines.jdk import Jdk

_NODE = """\
cluster.name: memory-layer-tests
node.name: tests
path.data: {data}
path.logs: {run}/logs
discovery.type: single-node
network.host: {host}
http.port: {port}
transport.port: 0
bootstrap.system_call_filter: false
node.store.allow_mmap: false
cluster.routing.allocation.disk.threshold_enabled: false
"""

_LOGGING = """\
status = error
appender.console.type = Console
appender.console.name = console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = [%d{ISO8601}][%-5p][%c{1.}] %m%n
rootLogger.level = warn
rootLogger.appenderRef.console.ref = console
"""

_JAVA_OPTIONS = (
    *("-Xms512m", "-Xmx512m", "-XX:MaxDirectMemorySize=256m", "-Xss1m", "-XX:+UseG1GC"),
    "-XX:TieredStopAtLevel=1",  # 10 s to the first answer on two cores; 16 with the second compiler
    *("-XX:-OmitStackTraceInFastThrow", "-XX:-UsePerfData"),
    *("-Djava.awt.headless=true", "-Dfile.encoding=UTF-8", "-Djava.locale.providers=SPI,CLDR"),
    *("-Djna.nosys=true", "-Dio.netty.noUnsafe=true", "-Dio.netty.noKeySetOptimization=true"),
    *("-Dio.netty.recycler.maxCapacityPerThread=0", "-Dio.netty.allocator.numDirectArenas=0"),
    *("-Dlog4j.shutdownHookEnabled=false", "-Dlog4j2.disable.jmx=true"),
    "-Dorg.apache.lucene.store.MMapDirectory.sharedArenaMaxPermits=1",
    "-javaagent:agent/opensearch-agent.jar",
)
"""What bin/opensearch passes on (config/jvm.options of the distribution), without what one small
node does not need: the vector module (it wants the second compiler), Arrow, core dumps."""


def _lay_out(files: list[Path], _jdk: Jdk, home: Path) -> None:
    distribution, plugin = files
    with zipfile.ZipFile(distribution) as archive:
        archive.extractall(home)
    _lift(home / distribution.stem, home)
    with zipfile.ZipFile(plugin) as archive:
        archive.extractall(home / "plugins" / "opensearch-knn")


def _lift(folder: Path, target: Path) -> None:
    for path in folder.iterdir():
        path.rename(target / path.name)
    folder.rmdir()


def _settings(run: Path, data: Path, port: int) -> dict[str, str]:
    node = _NODE.format(run=run, data=data, host=LOOPBACK, port=port)
    return {"config/opensearch.yml": node, "config/log4j2.properties": _LOGGING}


def _command(jdk: Jdk, home: Path, run: Path, _port: int) -> list[str]:
    return [
        jdk.program("java"),
        *_JAVA_OPTIONS,
        *(f"-Djava.io.tmpdir={run}", f"-XX:ErrorFile={run}/crash.log"),
        *(f"-Dopensearch.path.home={home}", f"-Dopensearch.path.conf={run}/config"),
        *("-Dopensearch.distribution.type=zip", "-Dopensearch.bundled_jdk=false"),
        *("-cp", f"{home}/lib/*", "org.opensearch.bootstrap.OpenSearch"),
    ]


def _answers(endpoint: str) -> bool:
    try:
        with urllib.request.urlopen(f"{endpoint}/_cluster/health", timeout=5) as answer:
            return json.load(answer)["status"] in {"green", "yellow"}
    except (OSError, urllib.error.URLError):
        return False


OPENSEARCH_NODE = Engine(
    name="opensearch",
    title=f"OpenSearch {OPENSEARCH_VERSION} with k-NN",
    default_port=19200,
    jdk_versions=range(21, 26),
    artifacts=(OPENSEARCH, OPENSEARCH_KNN),
    sources=(),
    lay_out=_lay_out,
    settings=_settings,
    command=_command,
    answers=_answers,
    start_timeout_s=180,
)
