"""The settings of single factories: what applies to which, and how an ambiguous one is refused."""

import pytest

from playground.factories.factory_settings import FactorySettings, factory_id

SOURCE = {
    "API_KEY": "sk-hunter22",
    "GREET_KEY": "sk-greeting",
    "REGION": "eu-west-1",
    "PATH": "/bin",
    "SHORT": "abc",
}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("greet", "GREET"),
        ("Get weather", "GET_WEATHER"),
        ("mail.send-all", "MAIL_SEND_ALL"),
        ("my_package:GreeterFactory", "MY_PACKAGE_GREETERFACTORY"),
        ("größe 2", "GR__E_2"),
        ("ﬁnd", "_ND"),
    ],
)
def test_the_id_of_a_factory_is_upper_case_with_underscores(name, expected):
    assert factory_id(name) == expected


def test_a_variable_of_one_factory_is_not_given_to_another():
    settings = FactorySettings(SOURCE, variables_by_id={"GREET": {"API_KEY": "API_KEY"}})

    assert settings.options({"GREET"}).environment == {"API_KEY": "sk-hunter22"}
    assert settings.options({"OTHER"}).environment == {}
    assert settings.common_environment == {"PATH": "/bin"}


def test_a_variable_of_every_tool_is_in_the_common_environment():
    settings = FactorySettings(SOURCE, variables={"REGION": "REGION"})

    assert settings.common_environment == {"PATH": "/bin", "REGION": "eu-west-1"}
    assert settings.options({"GREET"}).environment == {}
    assert settings.options({"GREET"}).variables == ("REGION",)


def test_a_variable_may_have_another_name_for_the_tool():
    settings = FactorySettings(SOURCE, variables_by_id={"GREET": {"API_KEY": "GREET_KEY"}})

    assert settings.options({"GREET"}).environment == {"API_KEY": "sk-greeting"}


def test_variables_that_are_not_set_are_named():
    settings = FactorySettings(
        SOURCE, variables={"MISSING": "MISSING"}, variables_by_id={"GREET": {"A": "NOT_HERE"}}
    )

    assert settings.options({"GREET"}).unset == ("A", "MISSING")


def test_every_value_is_a_secret_except_public_short_and_common_ones():
    source = {**SOURCE, "FLAG": "True", "URL": "https://api.example.com"}
    names = ["API_KEY", "REGION", "SHORT", "FLAG", "URL"]
    settings = FactorySettings(
        source, variables={name: name for name in names}, public=["REGION", "URL"]
    )

    assert settings.options(()).secrets == ("sk-hunter22",)


@pytest.mark.parametrize("name", ["HTTPS_PROXY", "http_proxy", "ALL_PROXY"])
def test_the_password_of_a_proxy_is_a_secret(name):
    settings = FactorySettings({name: "http://site:p%40ssword@proxy.example:3128"})

    assert settings.options(()).secrets == ("p%40ssword", "p@ssword")


def test_the_strictest_of_several_networks_applies():
    settings = FactorySettings({}, network_by_id={"GREET": "outward", "MY_GREETERFACTORY": "none"})

    assert settings.options({"GREET"}).network == "outward"
    assert settings.options({"GREET", "MY_GREETERFACTORY"}).network == "none"
    assert settings.options({"OTHER"}).network == "all"


def test_a_network_of_its_own_may_be_wider_than_the_general_one():
    settings = FactorySettings({}, network="none", network_by_id={"GREET": "all"})

    assert settings.options({"GREET"}).network == "all"
    assert settings.options({"OTHER"}).network == "none"


def test_a_factory_is_imported_with_the_strictest_network_unless_it_has_its_own():
    settings = FactorySettings({}, network_by_id={"GREET": "none", "OTHER_TOOL": "outward"})

    assert settings.import_options({"MY_GREETERFACTORY"}).network == "none"
    assert settings.import_options({"MY_GREETERFACTORY"}, {"none"}).network == "outward"
    assert settings.import_options({"OTHER_TOOL"}).network == "outward"


def test_equal_ids_are_no_fault_as_long_as_no_setting_uses_them():
    settings = FactorySettings({}, network_by_id={"OTHER": "none"})

    assert settings.faults({"a.b:F": {"A_B_F"}, "a_b:F": {"A_B_F"}}) == []


@pytest.mark.parametrize(
    "source",
    [{f"KEY_{n}": f"secret-{n}" for n in range(201)}, {"KEY": "k" * 65_537}],
    ids=["many", "long"],
)
def test_more_secret_values_than_can_be_removed_are_a_fault(source):
    settings = FactorySettings(source, variables_by_id={"GREET": {name: name for name in source}})

    ((meant, sentence),) = settings.faults({"greet:F": {"GREET"}, "other:F": {"OTHER"}})

    assert meant == {"greet:F"}
    assert "at most 200 values with 65,536 bytes" in sentence
    assert "secret-1" not in sentence


def test_options_do_not_show_values():
    settings = FactorySettings(SOURCE, variables_by_id={"GREET": {"API_KEY": "API_KEY"}})

    assert "hunter22" not in f"{settings!r} {settings.options({'GREET'})!r}"
