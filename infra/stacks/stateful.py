"""Stack that outlives a release: tables, index, blobs, clients, and the roles that may touch them."""

from aws_cdk import CfnOutput, CrossStackReferences, Environment, ReferenceStrength, Stack
from aws_cdk import aws_lambda as lambda_
from constructs import Construct

from infra.acknowledgements import PUBLIC_DOMAIN, SEARCH_DOMAIN, SMALL_DOMAIN, acknowledge
from infra.code_assets import CodeAssets
from infra.constructs.blob_bucket import BlobBucket
from infra.constructs.console_sign_in import foreign_place, pool_place
from infra.constructs.functions import ManifestFunctions, completes_tokens, function_role
from infra.constructs.grants import Container, Resources
from infra.constructs.identity import Issuer, MachineClients
from infra.constructs.network import Network
from infra.constructs.search_domain import SearchDomain
from infra.constructs.segment_bucket import SegmentBucket
from infra.constructs.tables import make_tables
from infra.deployment import Deployment
from memory_layer.manifest import env
from memory_layer.manifest.functions import FUNCTIONS
from memory_layer.manifest.stacks import FUNCTION_OUTPUT
from memory_layer.manifest.tables import CLIENTS, TABLES


class StatefulStack(Stack):
    """Tables, search domain, bucket, roles, and the user pool unless tokens come from elsewhere.

    The roles are here because the domain's own policy names them. The function that completes tokens is here
    because pool and function name each other.
    """

    def __init__(self, scope: Construct, id: str, deployment: Deployment, assets: CodeAssets) -> None:
        super().__init__(
            scope,
            id,
            env=Environment(region=deployment.region),
            description=f"Memory Layer, {deployment.profile}: tables, index, blobs, clients",
            termination_protection=deployment.keeps_data,
        )
        self.tables = make_tables(self, deployment)
        self.roles = {
            function.name: function_role(self, function)
            for function in deployment.functions
            if deployment.issuer is None or not completes_tokens(function)
        }
        self.network = self._make_network(deployment)
        self.search = self._make_domain(deployment) if deployment.has_domain else None
        self.segments = SegmentBucket(self, "Segments").bucket if deployment.has_segments else None
        self._searched = deployment.indexes[0]
        self.bucket = BlobBucket(self, "Blobs", deployment).bucket
        self.functions: dict[str, lambda_.Function] = {}
        self.sign_in = foreign_place(deployment)
        self.issuer = (
            Issuer(deployment.issuer, deployment.audience)
            if deployment.issuer
            else self._make_clients(deployment, assets)
        )
        if self.search is not None:
            CfnOutput(self, "SearchEndpoint", value=self.search.endpoint)
        if self.segments is not None:
            CfnOutput(self, "SegmentsBucketName", value=self.segments.bucket_name)
        for table in TABLES:
            CfnOutput(self, f"{table.name.title()}TableName", value=self.tables[table.name].table_name)

    @property
    def resources(self) -> Resources:
        """Granted resources, as far as they are in this stack."""
        return Resources(
            tables={name: table.table_arn for name, table in self.tables.items()},
            domain=self.search and self.search.arn,
            segments=self.segments and self.segments.bucket_arn,
            bucket=self.bucket.bucket_arn,
        )

    def exported_containers(self) -> dict[Container, str]:
        """Export names of domain and buckets, by which another stack's policies know them."""
        arns: dict[Container, str] = {"bucket": self.bucket.bucket_arn}
        if self.search is not None:
            arns["domain"] = self.search.arn
        if self.segments is not None:
            arns["segments"] = self.segments.bucket_arn
        return {name: self.resolve(self.export_value(arn))["Fn::ImportValue"] for name, arn in arns.items()}

    @property
    def index_environment(self) -> dict[str, str]:
        """Variables that tell functions where the indexes are, and which is searched."""
        places = {env.SEARCHED_INDEX: self._searched}
        if self.segments is not None:
            places[env.SEGMENTS_BUCKET] = self.segments.bucket_name
        if self.search is not None:
            places[env.SEARCH_ENDPOINT] = self.search.endpoint
        return places

    def _make_network(self, deployment: Deployment) -> Network | None:
        if deployment.network is None:
            return None
        made = Network(self, "Network", deployment, deployment.network)
        for part in made.shared:
            _let_go(part)
        return made

    def _make_domain(self, deployment: Deployment) -> SearchDomain:
        made = SearchDomain(self, "Search", deployment, self.roles, self.network)
        acknowledge(made, SEARCH_DOMAIN)
        if self.network is None:
            acknowledge(made, PUBLIC_DOMAIN)
        if deployment.profile != "prod":
            acknowledge(made, SMALL_DOMAIN)
        return made

    def _make_clients(self, deployment: Deployment, assets: CodeAssets) -> Issuer:
        (function,) = (function for function in FUNCTIONS if completes_tokens(function))
        environment = {
            env.CLIENTS_TABLE: self.tables[CLIENTS.name].table_name,
            env.DEPLOYMENT: deployment.title,
        }
        functions = ManifestFunctions(
            self,
            "Functions",
            deployment,
            assets,
            environment=environment,
            resources=self.resources,
            network=self.network,
        )
        self.functions[function.name] = functions.add(function, self.roles[function.name])
        clients = MachineClients(self, "Clients", deployment, completes_tokens=self.functions[function.name])
        for leaves in (self.functions[function.name], clients.pool, *clients.clients.values()):
            _let_go(leaves)
        self.sign_in = pool_place(clients)
        name = self.functions[function.name].function_name
        CfnOutput(self, f"{function.name.title()}{FUNCTION_OUTPUT}", value=name)
        CfnOutput(self, "TokenEndpoint", value=clients.token_endpoint)
        CfnOutput(self, "UserPoolId", value=clients.pool.user_pool_id)
        for number, name in enumerate(clients.clients):
            CfnOutput(
                self,
                f"ClientId{number or ''}",
                value=clients.clients[name].user_pool_client_id,
                description=f"Client {name}; its secret: aws cognito-idp describe-user-pool-client",
            )
        return clients.issuer


def _let_go(made: Construct) -> None:
    """Makes references to a construct weak, since a context value may take it away: CloudFormation deletes no
    export that is still imported, and this stack is updated first."""
    CrossStackReferences.of(made).produce(ReferenceStrength.WEAK)
