import pytest

from tests.playground.builtin.calls import call_tool


def query(sql, *, configuration=None, **more):
    return call_tool("query_sqlite", {"sql": sql, **more}, configuration=configuration)


def test_values_are_bound_by_position_or_by_name():
    assert query("SELECT ?, ?", arguments=[1, "two"])["rows"] == [[1, "two"]]
    assert query("SELECT :a, :b", arguments={"a": None, "b": True})["rows"] == [[None, 1]]


def test_blobs_are_written_in_base64():
    assert query("SELECT x'00ff' AS bytes") == {
        "columns": ["bytes"],
        "rows": [[{"base64": "AP8="}]],
        "row_count": 1,
        "truncated": False,
    }


def test_the_configuration_bounds_the_rows():
    answer = query("SELECT name FROM product", configuration={"max_rows": 2}, row_limit=100)

    assert (answer["row_count"], answer["truncated"]) == (2, True)


def test_the_sample_is_the_same_in_every_call():
    assert (
        query("SELECT count(*) FROM purchase")["rows"]
        == query("SELECT count(*) FROM purchase")["rows"]
        == [[6]]
    )


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM customer",
        "INSERT INTO customer (name, city) VALUES ('x', 'y')",
        "DROP TABLE customer",
        "CREATE TABLE t (a)",
        "CREATE TEMP TABLE t (a)",
        "PRAGMA query_only = OFF",
        "SELECT * FROM pragma_database_list",
        "ATTACH DATABASE '/etc/passwd' AS other",
        "ATTACH DATABASE ':memory:' AS other",
        "VACUUM INTO 'copy.db'",
        "SELECT load_extension('x')",
        "BEGIN",
    ],
)
def test_statements_that_do_more_than_read_are_refused(sql):
    with pytest.raises(PermissionError, match="Only reading is allowed"):
        query(sql)


def test_two_statements_are_refused():
    with pytest.raises(
        ValueError,
        match="SQLite refuses the statement: You can only execute one statement at a time",
    ):
        query("SELECT 1; SELECT 2")


@pytest.mark.parametrize(
    "sql", ["SELECT * FROM nowhere", "SELEC 1", "SELECT ?", "SELECT abs(1, 2)"]
)
def test_a_statement_that_sqlite_does_not_understand_is_refused(sql):
    with pytest.raises(ValueError, match="SQLite refuses the statement: "):
        query(sql)


def test_a_statement_without_rows_is_refused():
    with pytest.raises(ValueError, match="The statement returns no rows"):
        query("-- only a comment")


def test_an_endless_statement_is_stopped():
    with pytest.raises(TimeoutError, match=r"ran longer than 0.2 s"):
        query(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n",
            configuration={"timeout_s": 0.2},
        )


def test_a_value_that_is_too_large_is_refused():
    with pytest.raises(ValueError, match="SQLite refuses the statement: string or blob too big"):
        query("SELECT zeroblob(1000000000)")


def test_an_infinite_number_is_refused():
    with pytest.raises(ValueError, match="A value is infinite"):
        query("SELECT 9e999")


def test_an_integer_too_large_for_sqlite_is_refused():
    with pytest.raises(ValueError, match="SQLite refuses the statement: Python int too large"):
        query("SELECT ?", arguments=[2**63])


def test_text_that_is_not_utf_8_is_shown_with_marks():
    assert query("SELECT CAST(x'41ff' AS TEXT)")["rows"] == [["A\ufffd"]]


@pytest.mark.parametrize(
    "sql",
    ["SELECT * FROM customer", "SELECT count(*) FROM customer", "SELECT sql FROM sqlite_schema"],
)
def test_only_the_named_tables_are_read(sql):
    with pytest.raises(
        PermissionError, match="Only reading is allowed, and only what the configuration names"
    ):
        query(sql, configuration={"tables": ["product"]})


def test_names_of_tables_have_no_case():
    assert query("SELECT * FROM product", configuration={"tables": ["Product"]})["row_count"] > 0
