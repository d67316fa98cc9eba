import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.playground.builtin.calls import call_tool
from toolspec.text import reader


def query(document, expression):
    return call_tool("query_json", {"document": document, "expression": expression})


def test_a_query_returns_the_type_of_its_result():
    kinds = {
        expression: query({"a": [1], "b": True, "c": "x"}, expression)["type"]
        for expression in ("@", "a", "a[0]", "b", "c", "d")
    }

    assert kinds == {
        "@": "object",
        "a": "array",
        "a[0]": "number",
        "b": "boolean",
        "c": "string",
        "d": "null",
    }


def test_functions_take_numbers_of_any_length():
    assert query([0.1234567890123456789, 2], "max(@)")["result"] == 2
    assert query([0.1234567890123456789], "[0]")["type"] == "number"


@pytest.mark.parametrize(
    "expression", ["a[", "length(`1`)", "nobody(@)", "abs()", "&a", "[" * 1500]
)
def test_an_expression_that_cannot_be_evaluated_is_refused(expression):
    with pytest.raises(ValueError, match=r"The expression"):
        query({"a": 1}, expression)


def measure(rows, statistic, *, group_by=(), column="x"):
    parameters = {
        "rows": rows,
        "group_by": list(group_by),
        "measures": [{"column": column, "statistic": statistic}],
    }
    return [
        group["measures"][f"{statistic}_{column}"]
        for group in call_tool("summarize_table", parameters)["groups"]
    ]


@pytest.mark.parametrize(
    ("statistic", "expected"),
    [
        ("count", 4),
        ("distinct", 3),
        ("sum", 10),
        ("mean", 2.5),
        ("median", 2.5),
        ("minimum", 1),
        ("maximum", 4),
    ],
)
def test_each_statistic_counts_only_cells_with_a_value(statistic, expected):
    rows = [{"x": 1}, {"x": None}, {"x": 4}, {}, {"x": 4.0}, {"x": 1}]
    rows = [*rows[:5], {"x": 1}] if statistic != "distinct" else [*rows, {"x": 2}]

    [value] = measure(rows, statistic)

    assert value == {"distinct": 3}.get(statistic, expected)


def test_a_statistic_without_values_is_null():
    assert measure([{"x": None}], "mean") == [None]
    assert measure([{"x": 1}], "standard_deviation") == [None]
    assert measure([], "sum") == [None]


def test_groups_appear_as_their_first_rows_do():
    rows = [{"g": "b", "x": 1}, {"g": "a", "x": 2}, {"g": "b", "x": 3}]

    assert measure(rows, "sum", group_by=["g"]) == [4, 2]


def test_true_and_one_are_two_groups_and_absent_is_null():
    rows = [{"g": 1, "x": 1}, {"g": True, "x": 2}, {"x": 3}, {"g": None, "x": 4}]

    assert measure(rows, "sum", group_by=["g"]) == [1, 2, 7]


def test_text_among_the_numbers_is_refused():
    with pytest.raises(
        ValueError, match="The mean of column 'x' needs numbers, but one of its cells is 'many'"
    ):
        measure([{"x": 1}, {"x": "many"}], "mean")


def test_a_sum_of_integers_is_exact():
    assert measure([{"x": 2**60}, {"x": 1}], "sum") == [2**60 + 1]


@pytest.mark.parametrize("statistic", ["mean", "standard_deviation", "sum"])
def test_numbers_too_large_for_a_statistic_are_refused(statistic):
    with pytest.raises(ValueError, match=r"too large|not a finite number"):
        measure(
            [{"x": 1.7e308}, {"x": 1.7e308}, {"x": -1.7e308}, {"x": 10**299 * 10**15}], statistic
        )


def test_two_measures_with_the_same_name_are_refused():
    measures = [
        {"column": "x", "statistic": "sum", "name": "n"},
        {"column": "y", "statistic": "sum", "name": "n"},
    ]

    with pytest.raises(ValueError, match="Two measures have the same name"):
        call_tool("summarize_table", {"rows": [], "measures": measures})


def convert(table, from_format, to_format, **options):
    parameters = {
        "table": table,
        "from_format": from_format,
        "to_format": to_format,
        "options": options,
    }
    return call_tool("convert_table", parameters)["table"]


CELLS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8)
TABLES = st.integers(1, 4).flatmap(
    lambda width: st.tuples(
        st.lists(CELLS.filter(bool), min_size=width, max_size=width, unique=True),
        st.lists(st.lists(CELLS, min_size=width, max_size=width), max_size=4),
    )
)


@given(TABLES, st.sampled_from(["csv", "tsv"]))
def test_a_table_of_texts_comes_back_from_csv_as_it_was(table, text_format):
    columns, rows = table
    objects = [dict(zip(columns, row, strict=True)) for row in rows]
    source = reader.dumps(objects)

    text = convert(source, "json", text_format)

    if objects:
        assert reader.loads(convert(text, text_format, "json", read_numbers=False)) == objects


def test_bars_and_line_breaks_survive_markdown():
    source = '[{"a": "x | y", "b": "one\\ntwo"}]'

    markdown = convert(source, "json", "markdown")

    assert markdown == "| a | b |\n| --- | --- |\n| x \\| y | one<br>two |\n"
    assert reader.loads(convert(markdown, "markdown", "json")) == [{"a": "x | y", "b": "one\ntwo"}]


def test_a_markdown_table_needs_no_bars_at_its_ends():
    assert convert("a | b\n:-- | --:\n1 | 2", "markdown", "csv") == "a,b\n1,2\n"


def test_numbers_keep_their_text():
    assert convert("n\n19.90\n007\n1e3\ntrue\n-\n", "csv", "json") == (
        '[\n  {"n": 19.90},\n  {"n": "007"},\n  {"n": 1e3},\n  {"n": true},\n  {"n": "-"}\n]\n'
    )
    assert (
        convert('[{"n": 19.90}, {"n": [1.50, null]}]', "json", "csv")
        == 'n\n19.90\n"[1.50, null]"\n'
    )


def test_cells_stay_text_unless_numbers_are_read():
    assert convert("n\n12\n\n", "csv", "json", read_numbers=False) == '[\n  {"n": "12"}\n]\n'


def test_short_rows_are_filled_and_rows_of_json_may_lack_members():
    assert convert("a,b\n1\n", "csv", "json") == '[\n  {"a": 1, "b": null}\n]\n'
    assert convert('[{"a": 1}, {"b": 2}]', "json", "tsv") == "a\tb\n1\t\n\t2\n"


def test_a_table_without_rows_has_none():
    assert convert("a,b\n", "csv", "json") == "[]\n"


@pytest.mark.parametrize(
    ("table", "from_format", "reason"),
    [
        ("a,b\n1,2,3\n", "csv", "Row 1 has 3 cells, but there are 2 columns"),
        ("a,a\n", "csv", "Two columns have the same name"),
        ("\n", "csv", "The table is empty"),
        ('a\n"x', "csv", "The table is not readable"),
        ("| a |\n| 1 |\n", "markdown", "It is not a Markdown table"),
        ("[1]", "json", "not a JSON array of objects"),
        ("[{]", "json", "The table is not JSON"),
        ('[{"a": NaN}]', "json", "NaN is not JSON"),
        ("[" * 100000, "json", "The table is not JSON"),
    ],
)
def test_an_invalid_table_is_refused(table, from_format, reason):
    with pytest.raises(ValueError, match=reason):
        convert(table, from_format, "csv")


def test_an_unknown_column_is_refused():
    with pytest.raises(ValueError, match="The table has no column 'c'; it has 'a', 'b'"):
        convert("a,b\n1,2\n", "csv", "csv", columns=["c"])


def number(value):
    return {"kind": "number", "value": value}


def operation(left, operator, right):
    return {"kind": "operation", "operator": operator, "left": left, "right": right}


def call(function, *arguments):
    return {"kind": "call", "function": function, "arguments": list(arguments)}


def evaluate(expression, **variables):
    return call_tool("evaluate_expression", {"expression": expression, "variables": variables})


@pytest.mark.parametrize(
    ("expression", "formula", "value"),
    [
        (operation(number(1), "-", operation(number(2), "-", number(3))), "1 - (2 - 3)", 2),
        (operation(operation(number(1), "-", number(2)), "-", number(3)), "1 - 2 - 3", -4),
        (operation(operation(number(2), "^", number(3)), "^", number(2)), "(2 ^ 3) ^ 2", 64),
        (operation(number(2), "^", operation(number(3), "^", number(2))), "2 ^ 3 ^ 2", 512),
        (operation(number(-2), "^", number(2)), "(-2) ^ 2", 4),
        (call("max", number(1), call("sum", number(2), number(3))), "max(1, sum(2, 3))", 5),
    ],
)
def test_the_formula_has_the_parentheses_that_it_needs(expression, formula, value):
    answer = evaluate(expression)

    assert (answer["formula"], answer["value"]) == (formula, value)


def test_a_decimal_fraction_looks_like_one():
    assert str(evaluate(operation(number(0.1), "+", number(0.2)))["value"]) == "0.3"


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        (operation(number(1), "/", number(0)), "1 / 0 divides by zero"),
        (operation(number(-8), "^", number(0.5)), r"\(-8\) \^ 0.5 has no finite value"),
        (operation(number(10), "^", number(1000)), "has no finite value"),
        (operation(number(1e308), "*", number(10)), "has no finite value"),
        (call("sqrt", number(-1)), r"sqrt\(-1\) has no finite value"),
        (call("ln", number(0)), "has no finite value"),
        (call("abs", number(1), number(2)), "abs takes one argument, not 2"),
        ({"kind": "variable", "name": "x"}, "The variable 'x' has no value"),
    ],
)
def test_an_expression_without_a_value_is_refused(expression, reason):
    with pytest.raises(ValueError, match=reason):
        evaluate(expression)
