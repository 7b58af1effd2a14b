"""Regions that have every service of the template."""

from collections.abc import Callable, Collection
from functools import cache
from typing import Final

import botocore.session

from infra.errors import BadDeployment

PARTITION: Final = "aws"
"""Partition of supported regions: China, GovCloud and the sovereign clouds differ in host names and plans and are
not tried."""

TWO_ZONES: Final = frozenset({"us-west-1"})
"""Regions in which a new account gets two availability zones; everywhere else it gets three or more."""

SEARCH_SERVICE: Final = "es"
SERVICES: Final = (
    *(SEARCH_SERVICE, "lambda", "dynamodb", "apigatewayv2", "cognito-idp", "events", "scheduler"),
    *("s3", "sqs", "sns", "kms", "logs", "cloudwatch", "xray"),
)

RegionsOf = Callable[[str], Collection[str]]


@cache
def regions_of(service: str) -> frozenset[str]:
    """Regions of a service. Source: the endpoints that ship with the locked botocore, as of its release."""
    return frozenset(botocore.session.get_session().get_available_regions(service, PARTITION))


def check_region(region: str, regions_of: RegionsOf = regions_of) -> None:
    """Refuses a region in which the deployment would fail half-way.

    Raises:
        BadDeployment: it is none, or it lacks the search engine or another service.
    """
    if not any(region in regions_of(service) for service in SERVICES):
        raise BadDeployment(
            f"region {region} is none of AWS's public ones; name another: -c region=eu-central-1"
        )
    if region not in regions_of(SEARCH_SERVICE):
        others = ", ".join(sorted(regions_of(SEARCH_SERVICE)))
        raise BadDeployment(
            f"region {region} has no OpenSearch Service, the search engine; choose one of {others}"
        )
    missing = [service for service in SERVICES if region not in regions_of(service)]
    if missing:
        raise BadDeployment(
            f"region {region} lacks {', '.join(missing)}; name another: -c region=eu-central-1"
        )
