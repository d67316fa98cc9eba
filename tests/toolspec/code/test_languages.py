"""The table of languages, and the ZIP of a project."""

import io
import zipfile

from toolspec.code import project_zip


def test_a_zip_holds_the_files_of_the_project_in_one_folder():
    packed = project_zip({"README.md": "Überblick\n", "src/tool.py": "x = 1\n"}, "tool")

    with zipfile.ZipFile(io.BytesIO(packed)) as archive:
        files = {name: archive.read(name).decode() for name in archive.namelist()}
    assert files == {"tool/README.md": "Überblick\n", "tool/src/tool.py": "x = 1\n"}


def test_equal_projects_have_equal_zips_whatever_their_order():
    one = project_zip({"a.py": "1", "b.py": "2"}, "tool")
    other = project_zip({"b.py": "2", "a.py": "1"}, "tool")

    assert one == other
