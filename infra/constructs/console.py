"""Console in the cloud: its files from a bucket, and the API, at one origin of a content network.

At one origin the page needs no CORS, and its content policy names no host but those at which people sign in.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from aws_cdk import Duration, Fn
from aws_cdk import aws_cloudfront as cloudfront
from aws_cdk import aws_cloudfront_origins as origins
from constructs import Construct

from infra.acknowledgements import CONSOLE_SITE, acknowledge
from infra.constructs.console_files import ConsoleFiles
from infra.constructs.origin_lock import OriginLock
from infra.constructs.web_acl import web_acl
from infra.deployment import Deployment
from infra.operations import DeclaredOperation
from memory_layer.console.page_policy import PAGE_HEADERS, content_policy
from memory_layer.edge.http.answer_headers import CONTENT_POLICY
from memory_layer.version import VERSION

INDEX: Final = "index.html"
TLS_KEPT: Final = Duration.days(365)
_SECURED: Final = frozenset((CONTENT_POLICY, "x-frame-options"))
"""Headers that the network sets by fields of their own."""


class Console(Construct):
    """Console at `url`. Its files are published once it is known how to sign in there: `tell`.

    Args:
        api_url: of the API.
        operations: of the API, whose paths go to it.
        folder: code and files, as `CodeAssets.console_folder` lays them out.
        sign_in_at: origins at which people sign in.
        lock: of the API, to which the network has the key; None: the API is called by its own address too.
    """

    def __init__(
        self,
        scope: Construct,
        id: str,
        deployment: Deployment,
        *,
        api_url: str,
        operations: Iterable[DeclaredOperation],
        folder: Path,
        sign_in_at: tuple[str, ...],
        lock: OriginLock | None = None,
    ) -> None:
        super().__init__(scope, id)
        self._files = ConsoleFiles(self, "Files", deployment, folder)
        of_files = cloudfront.BehaviorOptions(
            origin=origins.S3BucketOrigin.with_origin_access_control(self._files.bucket),
            viewer_protocol_policy=cloudfront.ViewerProtocolPolicy.REDIRECT_TO_HTTPS,
            allowed_methods=cloudfront.AllowedMethods.ALLOW_GET_HEAD,
            cache_policy=cloudfront.CachePolicy.CACHING_OPTIMIZED,
            response_headers_policy=self._headers(sign_in_at),
        )
        self._distribution = cloudfront.Distribution(
            self,
            "Distribution",
            comment=f"{deployment.name}-{deployment.profile}: console",
            default_root_object=INDEX,
            default_behavior=of_files,
            http_version=cloudfront.HttpVersion.HTTP2_AND_3,
            minimum_protocol_version=cloudfront.SecurityPolicyProtocol.TLS_V1_2_2021,
            web_acl_id=web_acl(self, deployment).attr_arn if deployment.waf else None,
        )
        acknowledge(self._distribution, CONSOLE_SITE)
        self._pass_on(api_url, operations, lock)
        self.url = f"https://{self._distribution.distribution_domain_name}"

    def tell(self, oidc: Mapping[str, Any] | None) -> None:
        """Publishes the files, and how people sign in. Args: oidc: None: by a token that is pasted."""
        self._files.publish({"version": VERSION, "asks_for_tokens": True, "oidc": oidc})

    def _pass_on(
        self, api_url: str, operations: Iterable[DeclaredOperation], lock: OriginLock | None
    ) -> None:
        """Passes the API's paths on to it, whole and never from a cache."""
        api = origins.HttpOrigin(
            Fn.select(1, Fn.split("//", api_url)),
            protocol_policy=cloudfront.OriginProtocolPolicy.HTTPS_ONLY,
            origin_ssl_protocols=[cloudfront.OriginSslPolicy.TLS_V1_2],
            custom_headers=None if lock is None else lock.headers,
        )
        telling = None if lock is None else [lock.tells_host()]
        for pattern in path_patterns(operations):
            self._distribution.add_behavior(
                pattern,
                api,
                viewer_protocol_policy=cloudfront.ViewerProtocolPolicy.HTTPS_ONLY,
                allowed_methods=cloudfront.AllowedMethods.ALLOW_ALL,
                cache_policy=cloudfront.CachePolicy.CACHING_DISABLED,
                origin_request_policy=cloudfront.OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
                compress=False,
                function_associations=telling,
            )

    def _headers(self, sign_in_at: tuple[str, ...]) -> cloudfront.ResponseHeadersPolicy:
        """Headers of the files: those of the laptop, and that browsers come by TLS alone."""
        others = [
            cloudfront.ResponseCustomHeader(header=name, value=value, override=True)
            for name, value in PAGE_HEADERS.items()
            if name not in _SECURED
        ]
        return cloudfront.ResponseHeadersPolicy(
            self,
            "Headers",
            custom_headers_behavior=cloudfront.ResponseCustomHeadersBehavior(custom_headers=others),
            security_headers_behavior=cloudfront.ResponseSecurityHeadersBehavior(
                content_security_policy=cloudfront.ResponseHeadersContentSecurityPolicy(
                    content_security_policy=content_policy(sign_in_at), override=True
                ),
                content_type_options=cloudfront.ResponseHeadersContentTypeOptions(override=True),
                frame_options=cloudfront.ResponseHeadersFrameOptions(
                    frame_option=cloudfront.HeadersFrameOption.DENY, override=True
                ),
                referrer_policy=cloudfront.ResponseHeadersReferrerPolicy(
                    referrer_policy=cloudfront.HeadersReferrerPolicy.NO_REFERRER, override=True
                ),
                strict_transport_security=cloudfront.ResponseHeadersStrictTransportSecurity(
                    access_control_max_age=TLS_KEPT, include_subdomains=True, override=True
                ),
            ),
        )


def path_patterns(operations: Iterable[DeclaredOperation]) -> list[str]:
    """Patterns of the API's paths: one for all of a version, and each path beside it."""
    paths = {operation.route_key.partition(" ")[2] for operation in operations}
    return sorted({"/v1/*" if path.startswith("/v1/") else _pattern(path) for path in paths})


def _pattern(path: str) -> str:
    return "/".join("*" if part.startswith("{") else part for part in path.split("/"))
