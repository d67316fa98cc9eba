"""Static files: the stylesheets of every page in one file."""

import re

from django.conf import settings
from django.contrib.staticfiles import finders

from config.static_files import STYLESHEETS


def bare(css):
    """The style sheet without comments and white space."""
    return re.sub(r"/\*.*?\*/|\s", "", css, flags=re.DOTALL)


def test_the_stylesheets_are_served_as_one_in_the_order_of_the_cascade(client, db):
    page = client.get("/").content.decode()

    [address] = re.findall(r'<link rel="stylesheet" href="/static/([^"]+)"', page)
    served = (settings.STATIC_ROOT / address).read_text()
    sources = [(settings.BASE_DIR / "static" / "css" / f"{name}.css").read_text() for name in STYLESHEETS]

    assert re.fullmatch(r"css/site\.[0-9a-f]{12}\.css", address)
    assert bare(served) == bare("".join(sources))
    assert "/*" not in served
    assert "\n " not in served


def test_every_stylesheet_is_served():
    files = {path.stem for path in (settings.BASE_DIR / "static" / "css").glob("*.css")}

    assert files - set(STYLESHEETS) == {"help"}  # which only the pages of help link to
    assert finders.find("css/help.css")
    assert finders.find("css/site.css", find_all=True) == [finders.find("css/site.css")]
    assert finders.find("css/other.css") is None
