"""The address policy of the site follows its settings."""

import os
import subprocess
import sys

import pytest

from config.management.commands.serve import forbid_loopback
from tests.site import ROOT
from toolshelf_core.outgoing.addresses import LOOPBACK, AddressPolicy
from toolshelf_core.site_addresses import read_address_policy


def loopback_only_in_another_process(environment):
    program = "from config import settings; print(settings.LOOPBACK_ONLY)"
    printed = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return printed.stdout.strip()


def test_a_site_for_one_machine_lets_sources_reach_it(settings):
    settings.LOOPBACK_ONLY = True

    assert read_address_policy() == AddressPolicy(LOOPBACK)


def test_a_site_for_others_reaches_public_addresses_and_the_allowed_networks(settings):
    settings.LOOPBACK_ONLY = False
    settings.ALLOWED_NETWORKS = ["10.0.0.0/8"]
    settings.OUTGOING_PROXY = "http://proxy.example:3128"

    assert read_address_policy() == AddressPolicy(("10.0.0.0/8",), "http://proxy.example:3128")


def test_serving_other_machines_forbids_loopback(settings, monkeypatch):
    monkeypatch.setattr(os, "environ", dict(os.environ))
    settings.LOOPBACK_ONLY = True

    forbid_loopback()

    assert settings.LOOPBACK_ONLY is False
    assert loopback_only_in_another_process(os.environ) == "False"


@pytest.mark.parametrize(
    ("hosts", "loopback"), [("localhost 127.0.0.1 [::1]", "True"), ("localhost a.example", "False")]
)
def test_the_names_of_the_site_decide_about_loopback(hosts, loopback, tmp_path):
    environment = {**os.environ, "ALLOWED_HOSTS": hosts, "TOOLSHELF_DATA_DIR": str(tmp_path)}

    assert loopback_only_in_another_process(environment) == loopback
