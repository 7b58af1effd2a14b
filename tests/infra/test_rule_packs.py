"""cdk-nag's AwsSolutions and Serverless packs: nothing is found but what is acknowledged, each with a reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.infra.conftest import need_node
from tests.infra.templates import Assembly

PACKS = {"AwsSolutions", "Serverless"}


def test_nothing_is_found_that_is_not_acknowledged(assembly: Assembly) -> None:
    """The safeguard is the plugins in infra/build.py: the synthesis itself fails on a finding (see below)."""
    report = json.loads((assembly.folder / "validation-report.json").read_text("utf-8"))
    ran = {one["pluginName"]: one for one in report["pluginReports"]}
    assert ran.keys() >= PACKS
    for pack in PACKS:
        assert not ran[pack]["violations"]


def test_a_finding_stops_the_synthesis(tmp_path: Path) -> None:
    need_node()
    from aws_cdk import App, Stack, Validations
    from aws_cdk import aws_sqs as sqs
    from cdk_nag import AwsSolutionsChecks

    app = App(outdir=str(tmp_path))
    sqs.Queue(Stack(app, "Stack"), "Open")
    Validations.of(app).add_plugins(AwsSolutionsChecks(app))
    with pytest.raises(RuntimeError, match="AwsSolutions::AwsSolutions-SQS4"):
        app.synth()


def test_every_acknowledgement_has_a_reason() -> None:
    need_node()
    from infra import acknowledgements

    reasons = [value for value in vars(acknowledgements).values() if isinstance(value, dict)]
    told = [reason for group in reasons for rule, reason in group.items() if "::" in str(rule)]
    assert len(told) > 15
    assert all(len(reason.split()) >= 5 for reason in told)
