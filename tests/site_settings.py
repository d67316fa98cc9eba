"""The settings of a whole site that a test starts: the product's, with small limits that no variable can set."""

# ruff: noqa: F403

import json
import os

from config.settings import *

globals().update(json.loads(os.environ["SITE_SETTINGS"]))
