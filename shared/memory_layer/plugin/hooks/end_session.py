"""Report of a session that has ended: its run, and the memories that it said were wrong."""

import logging
from dataclasses import replace
from pathlib import Path

from memory_layer.errors import MemoryLayerError
from memory_layer.plugin.agents import CodingAgent
from memory_layer.plugin.hooks.payload import Payload
from memory_layer.plugin.hooks.session_memory import SessionMemory
from memory_layer.plugin.hooks.session_run import SessionRun, session_run, session_run_id
from memory_layer.plugin.hooks.session_state import HookSession
from memory_layer.plugin.hooks.transcript import Transcript, read_transcript

_log = logging.getLogger(__name__)


def report_session(
    agent: CodingAgent, payload: Payload, state: HookSession, memory: SessionMemory
) -> HookSession:
    """Reports the part of a session that no earlier end has reported; returns its state afterwards.

    Raises:
        MemoryLayerError: the run is not taken.
    """
    transcript = _transcript(payload.transcript or state.transcript, state.read_bytes)
    run_id = session_run_id(agent.client, payload.session, state.runs)
    ended = session_run(
        (one for one in transcript.events if one.at_ms is None or one.at_ms >= state.told_from_s * 1_000),
        run_id=run_id,
        shown=state.shown,
        first_number=state.first_number,
        objective=state.objective,
        errors=state.errors,
        reason=payload.reason,
    )
    if not ended.has_content:
        return replace(state, read_bytes=transcript.end_bytes)
    memory.learn(ended.run)
    _report_misled(ended, memory)
    return replace(state, read_bytes=transcript.end_bytes, runs=state.runs + 1)


def _transcript(path: str | None, start_bytes: int) -> Transcript:
    """Transcript from a place on; one that is missing, or of another version, is told of and taken as empty."""
    if path is None:
        return Transcript((), start_bytes, 0)
    try:
        found = read_transcript(Path(path), start_bytes)
    except (OSError, ValueError) as error:
        _log.warning(
            "the transcript %s cannot be read: %s; the run is told from the hooks alone", path, error
        )
        return Transcript((), start_bytes, 0)
    if found.lines and not found.events:
        _log.warning(
            "the transcript %s is of a version that is not known; the run is told from the hooks", path
        )
    return found


def _report_misled(ended: SessionRun, memory: SessionMemory) -> None:
    for project, id in ended.misled:
        try:
            memory.report_misled(project, id, ended.run.run_id)
        except MemoryLayerError as error:
            _log.warning("the verdict on %s is not taken: %s", id, error)
