"""A Lambda for every entry of the manifest, as the entry says."""

from __future__ import annotations

from infra.operations import operations_of, read_document
from memory_layer.manifest import env
from memory_layer.manifest.functions import FUNCTIONS
from memory_layer.manifest.tables import CHANGES
from tests.given import REPOSITORY
from tests.infra.templates import Assembly

HTTP_LIMIT_S = 29
"""Beyond it the caller has been answered already."""

ENVIRONMENT = {value for name, value in vars(env).items() if name.isupper()}


def test_there_is_one_for_every_entry(dev: Assembly) -> None:
    assert set(dev.functions()) == {function.name for function in FUNCTIONS}


def test_with_a_foreign_issuer_nothing_completes_tokens(prod: Assembly) -> None:
    missing = {function.name for function in FUNCTIONS} - set(prod.functions())
    assert missing == {function.name for function in FUNCTIONS if "read clients" in function.grants}
    assert not prod.of_type("AWS::Cognito::UserPool")


def test_each_is_as_the_manifest_says(assembly: Assembly) -> None:
    made = assembly.functions()
    for function in FUNCTIONS:
        if function.name in made:
            found = made[function.name]
            assert found["Handler"] == f"functions.{function.name}.handler.handler"
            assert (REPOSITORY / "functions" / function.name / "handler.py").is_file()
            assert found["MemorySize"] == function.memory_mb
            assert found["Timeout"] == function.timeout_s
            assert found["Runtime"] == "python3.13"
            assert found["Architectures"] == ["arm64"]
            assert found["TracingConfig"] == {"Mode": "Active"}


def test_dev_reserves_no_executions_and_prod_those_of_the_manifest(dev: Assembly, prod: Assembly) -> None:
    """A new account has ten in all, and Lambda lets none of ten be reserved: dev could not be deployed there."""
    assert not any("ReservedConcurrentExecutions" in found for found in dev.functions().values())
    for function in FUNCTIONS:
        if function.name in prod.functions():
            reserved = prod.functions()[function.name]["ReservedConcurrentExecutions"]
            assert reserved == function.reserved_concurrency


def test_what_may_embed_has_the_model() -> None:
    """What changes a record changes the contexts that heard of it, and those are embedded anew."""
    judging = {
        function.name for function in FUNCTIONS if {"write records", "publish events"} <= set(function.grants)
    }
    assert judging == {function.name for function in FUNCTIONS if function.embeds}


def test_those_behind_the_api_answer_in_time() -> None:
    served = {operation.function for operation in operations_of(read_document(REPOSITORY))}
    assert all(function.timeout_s < HTTP_LIMIT_S for function in FUNCTIONS if function.name in served)


def test_the_one_that_completes_tokens_answers_in_cognitos_time() -> None:
    """Both are of a cold start: .145 of a processor, as 256 MB have, took 3 to 6 of Cognito's 5 seconds."""
    (function,) = (function for function in FUNCTIONS if "read clients" in function.grants)
    assert function.timeout_s <= 5
    assert function.memory_mb >= 1024


def test_layers_lie_only_where_the_manifest_says(assembly: Assembly) -> None:
    for function in FUNCTIONS:
        if function.name in assembly.functions():
            layers = [str(layer) for layer in assembly.functions()[function.name]["Layers"]]
            assert len(layers) == len(function.layers)
            assert any("Onnx" in layer for layer in layers) == function.embeds


def test_every_variable_is_one_that_the_product_reads(assembly: Assembly) -> None:
    for name, function in assembly.functions().items():
        assert set(function["Environment"]["Variables"]) <= ENVIRONMENT, name


def test_variables_follow_grants(assembly: Assembly) -> None:
    needs = {
        env.RECORDS_TABLE: ("read records", "write records", "scan records"),
        env.CLIENTS_TABLE: ("read clients",),
        env.SEARCH_ENDPOINT: ("search index", "write index", "rebuild index"),
        env.SEARCHED_INDEX: ("search index", "write index", "rebuild index"),
        env.SEARCH_ENGINE: ("write index",),
        env.SEARCH_SHARDS: ("write index",),
        env.SEARCH_SPREAD: ("write index",),
        env.SEARCH_REPLICAS: ("write index",),
        env.BLOBS_BUCKET: (
            *("keep answers", "keep operations", "keep snapshots", "keep erasures"),
            "keep rollbacks",
            *("read bodies", "keep bodies"),
        ),
        env.EVENT_BUS: ("publish events", "tell changes"),
    }
    for function in FUNCTIONS:
        if function.name in assembly.functions():
            expected = {name for name, grants in needs.items() if set(grants) & set(function.grants)}
            expected |= {env.MODEL_DIR} if function.embeds else set()
            expected |= {env.FAILED_CHANGES_QUEUE} if function.stream is CHANGES else set()
            expected |= {env.EVENT_SOURCES} if function.queued_events else set()
            expected |= {env.ISSUER, env.SCOPES, env.ORIGINS} if function.routes else set()
            expected |= {env.FAILED_CHANGES_QUEUE} if function.stream is CHANGES else set()
            expected |= {env.DEPLOYMENT} | ({env.SWEEP_QUEUE} if function.own_queue else set())
            expected |= {env.API_URL} if function.name == "canary" else set()
            assert set(assembly.functions()[function.name]["Environment"]["Variables"]) == expected


def test_each_has_a_role_and_a_log_of_its_own(assembly: Assembly) -> None:
    functions = assembly.functions()
    assert len({assembly.role_of(name) for name in functions}) == len(functions)
    logs = {str(function["LoggingConfig"]["LogGroup"]) for function in functions.values()}
    assert len(logs) == len(functions)


def test_every_log_ends_some_day_and_goes_with_its_stack(assembly: Assembly) -> None:
    groups = assembly.of_type("AWS::Logs::LogGroup")
    assert len(groups) > len(assembly.functions())
    assert all(1 <= group["Properties"]["RetentionInDays"] <= 30 for group in groups.values())
    assert {group["DeletionPolicy"] for group in groups.values()} == {"Delete"}


def test_what_makes_indexes_is_told_their_shards(dev: Assembly, prod: Assembly) -> None:
    for assembly, shards, replicas in ((dev, "1", "0"), (prod, "3", "1")):
        for name in ("projector", "reindex"):
            told = assembly.functions()[name]["Environment"]["Variables"]
            assert (told[env.SEARCH_SHARDS], told[env.SEARCH_REPLICAS]) == (shards, replicas)


def test_the_guide_tells_how_many_executions_prod_reserves() -> None:
    total = sum(function.reserved_concurrency for function in FUNCTIONS)
    guide = (REPOSITORY / "docs" / "guides" / "deployment-options.md").read_text("utf-8")
    assert f"`prod` reserves {total} concurrent executions" in guide
