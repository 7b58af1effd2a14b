"""What the engines can do, of all that the AWS adapters and the index's settings rely on."""

from __future__ import annotations

import socket
import uuid
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import boto3
import pytest
from botocore.exceptions import ClientError
from opensearchpy import OpenSearch

pytestmark = pytest.mark.engines

PARTS = r"([A-Z]{2,}s?(?![\p{L}&&[^A-Z]])|[A-Z]?[\p{L}&&[^A-Z]]+|\p{Nd}+)"
ANALYSIS = {
    "char_filter": {"apostrophe": {"type": "mapping", "mappings": ["\u2019=>'"]}},
    "filter": {
        "parts": {"type": "pattern_capture", "preserve_original": True, "patterns": [PARTS]},
        "possessive": {"type": "stemmer", "language": "possessive_english"},
        "stop_words": {"type": "stop", "stopwords": ["of", "the"]},
        "porter2": {"type": "stemmer", "language": "porter2"},
        "delimited": {"type": "word_delimiter_graph", "preserve_original": True},
        "no_underscore": {"type": "pattern_replace", "pattern": "_", "replacement": "-"},
    },
    "analyzer": {
        "text": {
            "type": "custom",
            "char_filter": ["apostrophe"],
            "tokenizer": "standard",
            "filter": [
                *("parts", "lowercase", "asciifolding", "cjk_width", "possessive"),
                *("cjk_bigram", "stop_words", "porter2"),
            ],
        },
        "delimited": {
            "type": "custom",
            "tokenizer": "whitespace",
            "filter": ["delimited", "flatten_graph", "lowercase", "no_underscore"],
        },
    },
}
VECTOR = {
    "type": "knn_vector",
    "dimension": 4,
    "method": {"name": "hnsw", "engine": "lucene", "space_type": "cosinesimil"},
}
INDEX = {
    "settings": {
        "index": {"knn": True, "number_of_shards": 1, "number_of_replicas": 0},
        "analysis": ANALYSIS,
    },
    "mappings": {
        "dynamic": "strict",
        "properties": {
            "project": {"type": "keyword"},
            "text": {"type": "text", "analyzer": "text"},
            "vector": VECTOR,
        },
    },
}
MEMORIES = {
    "near": {"project": "web", "text": "The connection pool is exhausted.", "vector": [1.0, 0.1, 0.0, 0.0]},
    "far": {"project": "web", "text": "Deploy on Friday.", "vector": [0.0, 1.0, 0.0, 0.0]},
    "foreign": {"project": "app", "text": "Connections leak.", "vector": [1.0, 0.0, 0.0, 0.0]},
}


@pytest.fixture
def connect(dynamodb_endpoint: str) -> Any:
    """Makes a client of DynamoDB or of its streams."""

    def client(service: str) -> Any:
        keys = {"aws_access_key_id": "local", "aws_secret_access_key": "local"}
        return boto3.client(service, endpoint_url=dynamodb_endpoint, region_name="eu-central-1", **keys)

    return client


@pytest.fixture
def table(connect: Any) -> Iterator[str]:
    """A fresh table with a stream."""
    dynamodb, name = connect("dynamodb"), f"test-{uuid.uuid4()}"
    dynamodb.create_table(
        TableName=name,
        KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
        AttributeDefinitions=[{"AttributeName": key, "AttributeType": "S"} for key in ("pk", "sk")],
        BillingMode="PAY_PER_REQUEST",
        StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"},
    )
    yield name
    dynamodb.delete_table(TableName=name)


@pytest.fixture
def opensearch(opensearch_endpoint: str) -> Iterator[OpenSearch]:
    with OpenSearch(opensearch_endpoint) as client:
        yield client


@pytest.fixture
def index(opensearch: OpenSearch) -> Iterator[str]:
    """A fresh index behind an alias; its name is the alias."""
    name = f"test-{uuid.uuid4()}"
    opensearch.indices.create(index=f"{name}-1", body={**INDEX, "aliases": {name: {}}})
    yield name
    opensearch.indices.delete(index=f"{name}-1")


def test_the_engines_listen_on_one_address_of_loopback_only(
    dynamodb_endpoint: str, opensearch_endpoint: str
) -> None:
    """Safeguards: LoopbackRunner.java, and network.host of the node."""
    for endpoint in (dynamodb_endpoint, opensearch_endpoint):
        address = urlsplit(endpoint)
        assert address.hostname == "127.0.0.1"
        with socket.socket() as elsewhere:
            assert elsewhere.connect_ex(("127.0.0.2", address.port)) != 0, "it listens on all interfaces"


def put(table: str, pk: str, **condition: str) -> dict[str, Any]:
    return {"Put": {"TableName": table, "Item": {"pk": {"S": pk}, "sk": {"S": "-"}}, **condition}}


def test_a_transaction_is_whole_and_says_which_of_its_conditions_failed(connect: Any, table: str) -> None:
    dynamodb, is_new = connect("dynamodb"), "attribute_not_exists(pk)"
    dynamodb.transact_write_items(TransactItems=[put(table, "a"), put(table, "b")])
    with pytest.raises(dynamodb.exceptions.TransactionCanceledException) as caught:
        dynamodb.transact_write_items(
            TransactItems=[put(table, "c"), put(table, "a", ConditionExpression=is_new)]
        )
    codes = [reason["Code"] for reason in caught.value.response["CancellationReasons"]]
    assert codes == ["None", "ConditionalCheckFailed"]
    items = dynamodb.scan(TableName=table)["Items"]
    assert {item["pk"]["S"] for item in items} == {"a", "b"}


def test_the_stream_tells_every_change_with_both_images(connect: Any, table: str) -> None:
    dynamodb, streams = connect("dynamodb"), connect("dynamodbstreams")
    dynamodb.transact_write_items(TransactItems=[put(table, "a")])
    dynamodb.delete_item(TableName=table, Key={"pk": {"S": "a"}, "sk": {"S": "-"}})
    stream = dynamodb.describe_table(TableName=table)["Table"]["LatestStreamArn"]
    (shard,) = streams.describe_stream(StreamArn=stream)["StreamDescription"]["Shards"]
    iterator = streams.get_shard_iterator(
        StreamArn=stream, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON"
    )
    records = streams.get_records(ShardIterator=iterator["ShardIterator"])["Records"]
    assert [record["eventName"] for record in records] == ["INSERT", "REMOVE"]
    assert records[0]["dynamodb"]["NewImage"] == records[1]["dynamodb"]["OldImage"]


def test_a_wrong_condition_is_refused(connect: Any, table: str) -> None:
    condition = {"ConditionExpression": "attribute_not_exists("}
    with pytest.raises(ClientError, match="ValidationException"):
        connect("dynamodb").put_item(**put(table, "a", **condition)["Put"])


@pytest.mark.parametrize(
    ("analyzer", "text", "terms"),
    [
        ("text", "max_connections of Node.js", "max_connect max connect node.j node js"),
        ("text", "camelCase HTTP2Server", "camelcas camel case http2server http 2 server"),
        ("text", "Ada\u2019s café", "ada ada s cafe"),
        ("text", "日本語", "日本 本語"),
        ("delimited", "max_connections", "max-connections max connections"),
    ],
)
def test_analysis(opensearch: OpenSearch, index: str, analyzer: str, text: str, terms: str) -> None:
    answer = opensearch.indices.analyze(index=f"{index}-1", body={"analyzer": analyzer, "text": text})
    assert [token["token"] for token in answer["tokens"]] == terms.split()


def write(opensearch: OpenSearch, index: str, id_: str, version: int) -> tuple[int, str | None]:
    """Status and error of one versioned write in a bulk."""
    action = {"index": {"_index": index, "_id": id_, "version": version, "version_type": "external_gte"}}
    answer = opensearch.bulk(body=[action, MEMORIES[id_]], params={"refresh": "true"})
    (item,) = answer["items"]
    return item["index"]["status"], item["index"].get("error", {}).get("type")


def test_a_write_older_than_what_is_there_is_refused(opensearch: OpenSearch, index: str) -> None:
    assert write(opensearch, index, "near", 5) == (201, None)
    assert write(opensearch, index, "near", 4) == (409, "version_conflict_engine_exception")
    assert write(opensearch, index, "near", 5) == (200, None)
    assert write(opensearch, index, "near", 6) == (200, None)


def test_both_arms_are_filtered_and_answered_in_one_round_trip(opensearch: OpenSearch, index: str) -> None:
    for id_ in MEMORIES:
        write(opensearch, index, id_, 1)
    opensearch.indices.flush(index=index)
    web = {"term": {"project": "web"}}
    nearest = {"query": {"knn": {"vector": {"vector": [1.0, 0.0, 0.0, 0.0], "k": 3, "filter": web}}}}
    matching = {"query": {"bool": {"filter": [web], "must": [{"match": {"text": "CONNECTED"}}]}}}
    answer = opensearch.msearch(body=[{"index": index}, nearest, {"index": index}, matching])
    vector_arm, word_arm = (response["hits"]["hits"] for response in answer["responses"])
    assert [hit["_id"] for hit in vector_arm] == ["near", "far"]
    assert vector_arm[1]["_score"] == pytest.approx(0.5), "a score is (1 + cosine) / 2"
    assert [hit["_id"] for hit in word_arm] == ["near"]
    assert word_arm[0]["_score"] > 0


def test_a_field_that_the_mapping_does_not_know_is_refused(opensearch: OpenSearch, index: str) -> None:
    answer = opensearch.bulk(body=[{"index": {"_index": index}}, {"unknown": 1}])
    assert answer["items"][0]["index"]["error"]["type"] == "strict_dynamic_mapping_exception"
