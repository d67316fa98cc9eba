"""Static files: the stylesheets and the scripts of every page in one file each, and their headers."""

import re
import subprocess

from django.conf import settings
from django.contrib.staticfiles import finders

from config.static_files import SCRIPTS, STYLESHEETS


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


def test_the_scripts_of_every_page_are_served_as_one_that_is_valid(client, db, tmp_path):
    page = client.get("/").content.decode()

    [address] = re.findall(r'src="/static/(js/site\.[0-9a-f]{12}\.js)"', page)
    served = settings.STATIC_ROOT / address
    module = tmp_path / "site.mjs"
    module.write_text(served.read_text())

    for name in SCRIPTS:
        source = (settings.BASE_DIR / "static" / "js" / f"{name}.js").read_text()
        code = [line for line in source.splitlines() if line and not line.lstrip().startswith("//")]
        assert "\n".join(code) in re.sub(r"\n+", "\n", served.read_text())
        assert not re.search(r"^(import|export) ", source, flags=re.MULTILINE)
    subprocess.run(["node", "--check", module], check=True)


def test_every_script_is_served(client, db):
    templates = "".join(path.read_text() for path in (settings.BASE_DIR / "templates").rglob("*.html"))
    files = {path.stem for path in (settings.BASE_DIR / "static" / "js").glob("*.js")}

    linked = set(re.findall(r'static "js/(\w+)\.js"', templates))

    assert files == (linked - {"site"}) | set(SCRIPTS)


def test_a_static_file_has_the_policies_of_a_page_that_loads_nothing(client, db):
    page = client.get("/").content.decode()
    [address] = re.findall(r'<link rel="stylesheet" href="(/static/[^"]+)"', page)

    served = client.get(address)
    served.close()

    assert served["Content-Security-Policy"] == "default-src 'none'; frame-ancestors 'none'"
    assert served["X-Content-Type-Options"] == "nosniff"
    assert served["Cross-Origin-Resource-Policy"] == "same-origin"
    assert "Permissions-Policy" not in served
    assert "Access-Control-Allow-Origin" not in served


def test_a_missing_static_file_is_a_page_with_its_policies(client, db):
    answer = client.get("/static/js/none.js")

    assert answer.status_code == 404
    assert "camera=()" in answer["Permissions-Policy"]
    assert "script-src 'self'" in answer["Content-Security-Policy"]


def test_every_stylesheet_is_served():
    files = {path.stem for path in (settings.BASE_DIR / "static" / "css").glob("*.css")}

    assert files - set(STYLESHEETS) == {"help"}  # which only the pages of help link to
    assert finders.find("css/help.css")
    assert finders.find("css/site.css", find_all=True) == [finders.find("css/site.css")]
    assert finders.find("css/other.css") is None
