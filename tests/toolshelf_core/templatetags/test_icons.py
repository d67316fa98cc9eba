"""Every icon in a template is one of the vendored icons."""

import re
from pathlib import Path

from django.conf import settings

SPRITE = Path(settings.BASE_DIR) / "static" / "vendor" / "icons.svg"
TEMPLATES = Path(settings.BASE_DIR) / "templates"


def test_every_icon_of_a_template_exists():
    there = set(re.findall(r'id="([a-z0-9-]+)"', SPRITE.read_text()))

    named = {
        name
        for path in TEMPLATES.rglob("*.html")
        for name in re.findall(r'{% icon "([^"]+)"', path.read_text())
    }

    assert named
    assert named - there == set()
