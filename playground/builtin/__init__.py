"""The tools that come with Toolshelf. Each module is one tool; `specs/` has their specs. None needs a network."""

from __future__ import annotations

FACTORIES: tuple[str, ...] = (
    "playground.builtin.calculate_date:calculate_date",
    "playground.builtin.compare_texts:compare_texts",
    "playground.builtin.convert_table:convert_table",
    "playground.builtin.convert_time_zone:convert_time_zone",
    "playground.builtin.convert_units:convert_units",
    "playground.builtin.count_slowly:count_slowly",
    "playground.builtin.draw_chart:draw_chart",
    "playground.builtin.drifting_thermometer:drifting_thermometer",
    "playground.builtin.encode_text:encode_text",
    "playground.builtin.evaluate_expression:evaluate_expression",
    "playground.builtin.get_weather:get_weather",
    "playground.builtin.hash_text:hash_text",
    "playground.builtin.match_regular_expression:match_regular_expression",
    "playground.builtin.outline_markdown:outline_markdown",
    "playground.builtin.query_json:QueryJsonFactory",
    "playground.builtin.query_sqlite:QuerySqliteFactory",
    "playground.builtin.sign_text:sign_text",
    "playground.builtin.summarize_table:summarize_table",
)
"""The default of `TOOL_FACTORIES`, as paths, so that listing the tools imports none of them."""
