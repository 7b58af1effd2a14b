"""Who is let in: clients of the user pool with the scope, or tokens of the named issuer."""

from __future__ import annotations

from tests.infra.templates import Assembly


def test_clients_show_a_secret_and_get_the_one_scope(dev: Assembly) -> None:
    (client,) = (
        one for _, one in dev.properties("AWS::Cognito::UserPoolClient") if one["ClientName"] == "agent"
    )
    assert client["GenerateSecret"]
    assert client["AllowedOAuthFlows"] == ["client_credentials"]
    assert len(client["AllowedOAuthScopes"]) == 1
    assert client["AccessTokenValidity"] == 60


def test_nobody_signs_up(dev: Assembly) -> None:
    pool = dev.only("AWS::Cognito::UserPool")
    assert pool["AdminCreateUserConfig"]["AllowAdminCreateUserOnly"]
    assert pool["MfaConfiguration"] == "ON"
    assert pool["UserPoolTier"] == "ESSENTIALS"


def test_tokens_are_completed_by_the_function_that_reads_clients(dev: Assembly) -> None:
    trigger = dev.only("AWS::Cognito::UserPool")["LambdaConfig"]["PreTokenGenerationConfig"]
    assert trigger["LambdaVersion"] == "V3_0"
    assert dev.function_at(dev.resolve("stateful", trigger["LambdaArn"])) == "claims"


def test_authorizer_trusts_the_pool_its_clients_and_the_scope(dev: Assembly) -> None:
    authorizer = dev.only("AWS::ApiGatewayV2::Authorizer")["JwtConfiguration"]
    (pool,), clients = dev.of_type("AWS::Cognito::UserPool"), dev.of_type("AWS::Cognito::UserPoolClient")
    assert dev.resolve("service", authorizer["Issuer"]).endswith(f"/{{{pool}}}")
    audience = [dev.resolve("service", one) for one in authorizer["Audience"]]
    assert sorted(audience) == sorted(f"{{{client}}}" for client in clients)
    routes = [route for _, route in dev.properties("AWS::ApiGatewayV2::Route")]
    scopes = {tuple(route.get("AuthorizationScopes", ())) for route in routes if "AuthorizerId" in route}
    assert scopes == {("memory-layer/use",)}


def test_a_foreign_issuer_takes_the_pools_place(prod: Assembly) -> None:
    authorizer = prod.only("AWS::ApiGatewayV2::Authorizer")["JwtConfiguration"]
    assert authorizer == {"Issuer": "https://id.example.org/", "Audience": ["memory-layer"]}
