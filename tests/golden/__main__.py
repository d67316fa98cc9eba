"""Rewrite the expected outputs: `python -m tests.golden`, for one subject `python -m tests.golden -k lint`."""

import os
import sys

import pytest

os.environ["GOLDEN_REWRITE"] = "1"
sys.exit(pytest.main(["tests/golden", "-q", *sys.argv[1:]]))
