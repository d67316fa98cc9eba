"""The file types of uploads: their endings and media types."""

from __future__ import annotations

from typing import Literal

Kind = Literal["json", "ndjson", "yaml"]

NDJSON_ENDINGS = (".ndjson", ".jsonl")
JSON_ENDINGS = (".json", *NDJSON_ENDINGS)
YAML_ENDINGS = (".yaml", ".yml")
ENDINGS = (*JSON_ENDINGS, *YAML_ENDINGS)
NDJSON_TYPES = frozenset(
    {"application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines"}
)
YAML_TYPES = frozenset(
    {"application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml", "text/vnd.yaml"}
)


def kind_by_name(name: str) -> Kind | None:
    """The type of a file by the ending of its name."""
    kinds: dict[tuple[str, ...], Kind] = {
        NDJSON_ENDINGS: "ndjson",
        YAML_ENDINGS: "yaml",
        JSON_ENDINGS: "json",
    }
    return next((kind for endings, kind in kinds.items() if name.lower().endswith(endings)), None)
