import pytest

from tests.playground.builtin.calls import call_tool
from tests.work import at_most


def convert(value, from_unit, to_unit, **more):
    return call_tool(
        "convert_units", {"value": value, "from_unit": from_unit, "to_unit": to_unit, **more}
    )


def test_units_are_known_by_name_plural_and_symbol():
    assert convert(2, "miles", "km")["value"] == convert(2, "mi", "kilometer")["value"]


def test_a_temperature_is_converted_with_its_offset():
    assert convert(-40, "degC", "degF")["value"] == -40


def test_superscripts_and_the_micro_sign_are_read():
    assert convert(1, "km²", "m**2")["value"] == 1_000_000
    assert convert(1, "µs", "s")["value"] == pytest.approx(0.000001)
    assert convert(1, "m⁻¹", "1/m")["value"] == 1


def test_the_result_is_rounded_as_asked():
    assert convert(1, "mile", "km", significant_digits=2)["value"] == pytest.approx(1.6)


def test_units_that_measure_different_things_are_refused():
    with pytest.raises(
        ValueError,
        match=r"km and kg do not measure the same thing: one is \[length\], the other \[mass\]",
    ):
        convert(1, "km", "kg")


@pytest.mark.parametrize(
    "unit", ["parsnip", "  ", "m(", "m**m", "5 km", "USD", "((((m", "__import__('os')", "m; n"]
)
def test_an_unknown_unit_is_refused(unit):
    with pytest.raises(ValueError, match="is not a unit"):
        convert(1, unit, "m")


@pytest.mark.parametrize(
    "unit", ["10**10**8 m", "m**99999999", "m**1e9", "(9*9)**99**99", "m²²²²²", "9^9^9^9^9"]
)
def test_a_unit_that_would_take_forever_is_refused_immediately(unit):
    with at_most(10_000_000), pytest.raises(ValueError, match="is not a unit"):
        convert(1, unit, "m")


def test_a_quantity_beyond_the_range_of_numbers_is_refused():
    with pytest.raises(ValueError, match="not a finite number"):
        convert(1e300, "Ym", "ym")


def local_time(moment, zone, **more):
    return call_tool("convert_time_zone", {"moment": moment, "to_zones": [zone], **more})


def test_a_local_time_is_read_in_its_zone():
    answer = local_time("2026-01-15T09:00", "Asia/Tokyo", from_zone="America/Los_Angeles")

    assert answer["utc"] == "2026-01-15T17:00:00Z"
    assert answer["times"][0]["local"] == "2026-01-16T02:00:00+09:00"
    assert answer["times"][0]["weekday"] == "Friday"


def test_a_moment_with_an_offset_does_not_depend_on_the_zone():
    assert (
        local_time("2026-01-15T09:00Z", "UTC", from_zone="Asia/Tokyo")["utc"]
        == "2026-01-15T09:00:00Z"
    )


def test_a_date_alone_is_its_midnight():
    assert local_time("2026-01-15", "UTC")["utc"] == "2026-01-15T00:00:00Z"


def test_seconds_before_1970_count_back():
    assert local_time(-1, "UTC")["utc"] == "1969-12-31T23:59:59Z"


def test_a_time_that_happens_twice_is_the_earlier_one_unless_asked():
    earlier = local_time("2026-10-25T02:30", "UTC", from_zone="Europe/Berlin")
    later = local_time("2026-10-25T02:30", "UTC", from_zone="Europe/Berlin", ambiguous="later")

    assert later["unix_seconds"] - earlier["unix_seconds"] == 3600
    assert (
        earlier["note"]
        == "2026-10-25T02:30 happens twice in Europe/Berlin; the earlier one is used."
    )


def test_a_time_that_never_happens_gets_a_note():
    answer = local_time("2026-03-29T02:30", "Europe/Berlin", from_zone="Europe/Berlin")

    assert (
        answer["note"]
        == "2026-03-29T02:30 does not exist in Europe/Berlin: the clocks skip it when they go forward."
    )


def test_an_old_offset_has_seconds():
    assert local_time("1800-01-01T00:00Z", "Europe/Berlin")["times"][0]["offset"] == "+00:53:28"


def test_an_unknown_zone_is_refused_with_similar_names():
    with pytest.raises(
        ValueError, match=r"There is no IANA time zone 'Europe/Berln'. Similar: Europe/Berlin"
    ):
        local_time("2026-01-01T00:00", "Europe/Berln")


@pytest.mark.parametrize("name", ["../etc/passwd", "/etc/localtime", "America", "europe/berlin"])
def test_a_zone_is_never_looked_up_as_a_path(name):
    with pytest.raises(ValueError, match="There is no IANA time zone"):
        local_time(0, name)


@pytest.mark.parametrize("moment", ["tomorrow noon", "2026-02-30T10:00", "12:30:00:000000"])
def test_an_invalid_moment_is_refused(moment):
    with pytest.raises(ValueError, match="is not a date and time"):
        local_time(moment, "UTC")


def test_a_moment_that_leaves_the_calendar_is_refused():
    with pytest.raises(ValueError, match="outside the years 1 to 9999"):
        local_time(253402300799, "Asia/Tokyo")


def calculate(date, **more):
    return call_tool("calculate_date", {"date": date, **more})


def test_a_month_after_the_31st_is_the_last_of_a_shorter_month():
    assert calculate("2026-01-31", add={"months": 1})["date"] == "2026-02-28"


def test_a_year_after_a_leap_day_is_the_28th():
    assert calculate("2028-02-29", add={"years": 1})["date"] == "2029-02-28"


def test_months_carry_over_the_year_in_both_directions():
    assert calculate("2026-11-15", add={"months": 3})["date"] == "2027-02-15"
    assert calculate("2026-02-15", add={"months": -3})["date"] == "2025-11-15"


def test_months_are_added_before_days():
    assert calculate("2026-01-31", add={"months": 1, "days": 1})["date"] == "2026-03-01"


def test_working_days_go_back_over_the_weekend():
    assert calculate("2026-06-15", add={"working_days": -1})["date"] == "2026-06-12"


def test_other_weekends_are_respected():
    assert (
        calculate("2026-06-11", add={"working_days": 1}, weekend=["Friday"])["date"] == "2026-06-13"
    )


@pytest.mark.parametrize(
    ("start", "end"),
    [("2026-06-01", "2026-07-15"), ("2026-06-06", "2026-06-07"), ("2026-06-05", "2026-06-05")],
)
def test_working_days_to_a_date_are_counted_as_they_are_added(start, end):
    holidays = ["2026-06-10", "2026-06-13"]
    counted = calculate(start, until=end, holidays=holidays)["until"]["working_days"]

    reached = calculate(start, add={"working_days": counted + 1}, holidays=holidays)["date"]

    assert reached > end
    assert (
        counted == 0
        or calculate(start, add={"working_days": counted}, holidays=holidays)["date"] <= end
    )


def test_counting_backwards_is_negative():
    assert calculate("2026-06-15", until="2026-06-08")["until"] == {
        "date": "2026-06-08",
        "days": -7,
        "working_days": -5,
    }


def test_the_iso_week_may_belong_to_another_year():
    assert calculate("2027-01-01")["iso_week"] == "2026-W53"


@pytest.mark.parametrize(
    "add", [{"years": 9000}, {"years": -9000}, {"days": 3000000}, {"months": -120000}]
)
def test_a_result_outside_the_calendar_is_refused(add):
    with pytest.raises(ValueError, match="outside the years 1 to 9999"):
        calculate("2026-01-01", add=add)


def test_working_days_at_the_end_of_the_calendar_are_refused():
    with pytest.raises(ValueError, match="outside the years 1 to 9999"):
        calculate("9999-12-30", add={"working_days": 100})


def test_the_last_day_of_the_calendar_has_its_facts():
    assert calculate("9999-12-31", until="9999-12-31")["until"]["working_days"] == 0
