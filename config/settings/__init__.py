"""All settings of Toolshelf. `config/env.py` reads those that differ by machine."""

# ruff: noqa: F403, I001 - every name is a setting; the order is that of docs/settings.md

from config.settings.data import *
from config.settings.security import *
from config.settings.sign_in import *
from config.settings.site import *
from config.settings.limits import *
from config.settings.runs import *
from config.settings.logs import *
