"""The tools that come with Toolshelf. Each module is one tool; `specs/` holds their specs. None needs a network."""

from __future__ import annotations

FACTORIES: tuple[str, ...] = (
    "playground.builtin.calculate_date:CalculateDateFactory",
    "playground.builtin.compare_texts:CompareTextsFactory",
    "playground.builtin.convert_table:ConvertTableFactory",
    "playground.builtin.convert_time_zone:ConvertTimeZoneFactory",
    "playground.builtin.convert_units:ConvertUnitsFactory",
    "playground.builtin.count_slowly:CountSlowlyFactory",
    "playground.builtin.drifting_thermometer:DriftingThermometerFactory",
    "playground.builtin.encode_text:EncodeTextFactory",
    "playground.builtin.evaluate_expression:EvaluateExpressionFactory",
    "playground.builtin.find_time_zones:FindTimeZonesFactory",
    "playground.builtin.get_weather:GetWeatherFactory",
    "playground.builtin.hash_text:HashTextFactory",
    "playground.builtin.match_regular_expression:MatchRegularExpressionFactory",
    "playground.builtin.outline_markdown:OutlineMarkdownFactory",
    "playground.builtin.query_json:QueryJsonFactory",
    "playground.builtin.query_sqlite:QuerySqliteFactory",
    "playground.builtin.sign_text:SignTextFactory",
    "playground.builtin.summarize_table:SummarizeTableFactory",
)
"""What `TOOL_FACTORIES` holds unless it is set: paths, so that naming the tools imports none of them."""
