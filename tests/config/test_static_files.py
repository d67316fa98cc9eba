"""Static files: the stylesheets and the scripts of every page in one file each, and their headers."""

import re
import subprocess

import pytest
from django.conf import settings
from django.contrib.staticfiles import finders
from django.templatetags.static import static

from config.static_files import SCRIPTS, STYLESHEETS


def classes(path):
    selectors = re.sub(r"/\*.*?\*/|{[^{}]*}", "", path.read_text(), flags=re.DOTALL)
    return set(re.findall(r"\.([a-z][\w-]*)", selectors))


def bare(css):
    """The style sheet without comments and white space."""
    return re.sub(r"/\*.*?\*/|\s", "", css, flags=re.DOTALL)


@pytest.mark.parametrize("name", STYLESHEETS)
def test_stylesheets_are_joined_in_the_order_of_the_cascade(db, name):
    served = (settings.STATIC_ROOT / static(name).removeprefix("/static/")).read_text()
    sources = [
        (settings.BASE_DIR / "static" / "css" / f"{each}.css").read_text()
        for each in STYLESHEETS[name]
    ]

    assert bare(served) == bare("".join(sources))
    assert "/*" not in served
    assert "\n " not in served


def test_only_pages_with_the_second_stylesheet_use_its_classes():
    """A class of the second file alone is in no template of the catalog, whose pages do not link to it."""
    site, playground = (
        {
            name
            for each in files
            for name in classes(settings.BASE_DIR / "static" / "css" / f"{each}.css")
        }
        for files in STYLESHEETS.values()
    )
    templates = settings.BASE_DIR / "templates"
    others = [
        path
        for path in templates.rglob("*.html")
        if path.parts[len(templates.parts)] != "playground"
    ]

    text = "\n".join(re.sub(r"{[{%#].*?[}%#]}", " ", path.read_text()) for path in others)
    used = {name for names in re.findall(r'class="([^"]*)"', text) for name in names.split()}

    assert len(playground - site) > 50
    assert used & (playground - site) == set()


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
    templates = "".join(
        path.read_text() for path in (settings.BASE_DIR / "templates").rglob("*.html")
    )
    files = {path.stem for path in (settings.BASE_DIR / "static" / "js").glob("*.js")}

    linked = set(re.findall(r'static "js/(\w+)\.js"', templates))

    assert files == (linked - {"site"}) | set(SCRIPTS)


def test_a_static_file_has_the_policies_of_a_page_that_loads_nothing(client, db):
    served = client.get(static("css/site.css"))
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

    joined = {name for names in STYLESHEETS.values() for name in names}

    assert files - joined == {"api_docs", "help"}  # which only their own pages link to
    assert finders.find("css/help.css")
    assert finders.find("css/site.css", find_all=True) == [finders.find("css/site.css")]
    assert finders.find("css/other.css") is None


def test_each_view_of_a_result_that_a_browser_remembers_is_shown_from_the_first_paint_on():
    template = (
        settings.BASE_DIR / "templates" / "playground" / "history" / "_result.html"
    ).read_text()
    rules = (settings.BASE_DIR / "static" / "css" / "tabs.css").read_text()

    views = re.findall(
        r'<li><a href="#([\w-]+)">',
        template.partition('<ul class="tabs-list">')[2].partition("</ul>")[0],
    )

    assert views[0] == "response"
    for view in views:
        start = f'[data-result-tab="{view}"] [data-tabs="result"]:not([data-ready])'
        assert f"{start}:has(> #{view}) > .tab-panel:not(#{view})" in rules
        assert f"{start} > #{view}" in rules
