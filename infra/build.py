"""Whole application: three stacks from the manifest, openapi.json and a deployment, checked by cdk-nag."""

import sys
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from aws_cdk import App, Tags, Validations
from aws_cdk.cx_api import CloudAssembly
from cdk_nag import AwsSolutionsChecks, ServerlessChecks

from infra.code_assets import CodeAssets
from infra.deployment import Deployment, read_deployment
from infra.limits import check_templates
from infra.operations import read_document
from infra.stacks.observability import ObservabilityStack
from infra.stacks.service import ServiceStack
from infra.stacks.stateful import StatefulStack

NO_RESOURCE_LIMIT: Final = {"@aws-cdk/core:stackResourceLimit": 0}
"""Switches CDK's limit off: our own check says more, and counts outputs and bytes too."""


def synthesise(
    root: Path, context: Mapping[str, Any], *, outdir: str | None = None, default_region: str | None = None
) -> CloudAssembly:
    """Writes the templates of a deployment and checks them.

    Args:
        root: of the repository.
        context: values given by hand; under the CDK command line it has handed over its own already.
        outdir: where to; None leaves it to the CDK command line.

    Raises:
        BadDeployment: it could not be deployed.
    """
    app = App(outdir=outdir, context={**NO_RESOURCE_LIMIT, **context}, analytics_reporting=False)
    deployment = read_deployment(app.node.get_all_context(), default_region)
    with TemporaryDirectory(prefix="memory-layer-") as staging:
        add_stacks(app, deployment, root, CodeAssets(root, Path(staging), deployment))
        assembly = app.synth()
    check_templates(Path(assembly.directory))
    if deployment.layers == "placeholder":
        print("The layers are empty: these templates are to look at, not to deploy.", file=sys.stderr)
    return assembly


def add_stacks(app: App, deployment: Deployment, root: Path, assets: CodeAssets) -> None:
    """Adds the stacks, each after the one it builds on; the third only where somebody watches."""
    prefix = deployment.title
    stateful = StatefulStack(app, f"{prefix}-stateful", deployment, assets)
    service = ServiceStack(
        app, f"{prefix}-service", deployment, assets, document=read_document(root), stateful=stateful
    )
    if deployment.is_watched:
        ObservabilityStack(app, f"{prefix}-observability", deployment, stateful=stateful, service=service)
    Tags.of(app).add("application", deployment.name)
    Tags.of(app).add("profile", deployment.profile)
    Validations.of(app).add_plugins(AwsSolutionsChecks(app), ServerlessChecks(app))
