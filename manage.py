#!/usr/bin/env python
"""The commands of Toolshelf: `manage.py help` lists them."""

import os
import sys

from config.cli import run

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    run(sys.argv)
