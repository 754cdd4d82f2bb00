"""The shapes of OpenSearch's requests, as its documentation and its published API describe them.

Written from https://docs.opensearch.org (2.19 and 3.x) and the OpenAPI description in
opensearch-project/opensearch-api-specification; only what the adapter may send. Nothing beyond a
shape is allowed, as the server refuses unknown keys.
"""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]


def shape(required: Schema, optional: Schema | None = None) -> Schema:
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": sorted(required),
        "additionalProperties": False,
    }


def one_key(choices: Schema) -> Schema:
    return {
        "type": "object",
        "properties": choices,
        "additionalProperties": False,
        "minProperties": 1,
        "maxProperties": 1,
    }


def any_field(value: Schema) -> Schema:
    """One field's name as the key."""
    return {"type": "object", "additionalProperties": value, "minProperties": 1, "maxProperties": 1}


TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "number"}
FLAG: Schema = {"type": "boolean"}
COUNT: Schema = {"type": "integer", "minimum": 0}
TEXTS: Schema = {"type": "array", "items": TEXT}
# What long arrays hold is checked where they are used: here it would take most of a test's time.
VECTOR: Schema = {"type": "array", "minItems": 1}
QUERY: Schema = {"$ref": "#/$defs/query"}
QUERIES: Schema = {"type": "array", "items": QUERY}
ORDER = {"enum": ["asc", "desc"]}

_KNN_METHOD = shape(
    {"name": {"enum": ["hnsw"]}, "space_type": {"enum": ["cosinesimil"]}, "engine": {"enum": ["lucene", "faiss"]}},
    {
        "parameters": shape(
            {},
            {
                "m": {"type": "integer", "minimum": 2, "maximum": 100},
                "ef_construction": {"type": "integer", "minimum": 1},
            },
        )
    },
)
_FIELD: Schema = {
    "oneOf": [
        shape({"type": {"const": "keyword"}}),
        shape({"type": {"const": "long"}}),
        shape(
            {"type": {"const": "text"}},
            {"analyzer": {"enum": ["standard", "whitespace"]}, "similarity": TEXT, "norms": FLAG},
        ),
        shape(
            {
                "type": {"const": "knn_vector"},
                "dimension": {"type": "integer", "maximum": 16_000},
                "method": _KNN_METHOD,
            }
        ),
    ]
}
CREATE = shape(
    {
        "settings": shape(
            {
                "index": shape(
                    {"knn": {"const": True}},
                    {
                        "number_of_shards": COUNT,
                        "number_of_replicas": COUNT,
                        "refresh_interval": TEXT,
                        "knn.algo_param.ef_search": {"type": "integer", "minimum": 2},
                        "similarity": any_field(shape({"type": {"const": "BM25"}}, {"k1": NUMBER, "b": NUMBER})),
                    },
                )
            }
        ),
        "mappings": shape(
            {"properties": {"type": "object", "additionalProperties": _FIELD}},
            {"dynamic": {"enum": ["strict", "true", "false"]}},
        ),
    }
)
_SORT = {
    "type": "array",
    "items": {
        "type": "object",
        "additionalProperties": shape({"order": ORDER}),
        "minProperties": 1,
        "maxProperties": 1,
    },
}
_PROCESSOR = shape(
    {
        "normalization-processor": shape(
            {},
            {
                "normalization": shape({"technique": {"enum": ["min_max", "l2", "z_score"]}}),
                "combination": shape(
                    {"technique": {"enum": ["arithmetic_mean", "geometric_mean", "harmonic_mean"]}},
                    {
                        "parameters": shape(
                            {"weights": {"type": "array", "items": {"type": "number", "minimum": 0, "maximum": 1}}}
                        )
                    },
                ),
            },
        )
    }
)
_AGGREGATION = one_key(
    {
        "terms": shape({"field": TEXT}, {"size": COUNT}),
        "filters": shape({"filters": {"type": "array", "items": QUERY}}),
    }
)
SEARCH = {
    **shape(
        {},
        {
            "size": {"type": "integer", "minimum": 0, "maximum": 10_000},
            "query": QUERY,
            "_source": TEXTS,
            "sort": _SORT,
            "search_after": {"type": "array"},
            "track_total_hits": {"type": ["boolean", "integer"]},
            "aggs": {"type": "object", "additionalProperties": _AGGREGATION},
            "search_pipeline": shape({"phase_results_processors": {"type": "array", "items": _PROCESSOR}}),
        },
    ),
    "$defs": {
        "query": one_key(
            {
                "match_all": shape({}),
                "exists": shape({"field": TEXT}),
                "term": any_field(shape({"value": TEXT})),
                "terms": any_field({"type": "array", "maxItems": 65_536}),
                "range": any_field(shape({}, {"gte": NUMBER, "lt": NUMBER, "gt": NUMBER, "lte": NUMBER})),
                "match": any_field(shape({"query": TEXT}, {"operator": {"enum": ["or", "and"]}})),
                "bool": shape(
                    {},
                    {
                        "must": QUERIES,
                        "filter": QUERIES,
                        "must_not": QUERIES,
                        "should": QUERIES,
                        "minimum_should_match": COUNT,
                    },
                ),
                "knn": any_field(
                    shape(
                        {"vector": VECTOR, "k": {"type": "integer", "minimum": 1, "maximum": 10_000}}, {"filter": QUERY}
                    )
                ),
                "script_score": shape(
                    {
                        "query": QUERY,
                        "script": shape(
                            {
                                "lang": {"const": "knn"},
                                "source": {"const": "knn_score"},
                                "params": shape(
                                    {
                                        "field": TEXT,
                                        "query_value": VECTOR,
                                        "space_type": {"enum": ["cosinesimil", "l2"]},
                                    }
                                ),
                            }
                        ),
                    }
                ),
                "hybrid": shape({"queries": {"type": "array", "items": QUERY, "minItems": 1, "maxItems": 5}}),
            }
        )
    },
}
COUNT_BODY = {**shape({}, {"query": QUERY}), "$defs": SEARCH["$defs"]}
ALIASES = shape(
    {
        "actions": {
            "type": "array",
            "minItems": 1,
            "items": one_key(
                {
                    "add": shape({"index": TEXT, "alias": TEXT}),
                    "remove": shape({"index": TEXT, "alias": TEXT}, {"must_exist": FLAG}),
                }
            ),
        }
    }
)
BULK_ACTION = one_key({"index": shape({}, {"_id": {"type": "string", "minLength": 1, "maxLength": 512}})})

PARAMETERS = {
    "_search": {"preference", "search_type", "search_pipeline"},
    "_cat": {"format", "h"},
}
