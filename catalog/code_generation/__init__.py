"""Source code that is generated from a spec: a project of files for each language.

    languages        the table of languages; a project by its language, and its ZIP
    python_package   a Python package that implements the tool: models, definition, factory, test
    python_client    a Python module that calls the tool through the API of the site
    java_project     a Maven project that implements the tool

A spec is a stranger's text. In the generated code its values are string literals, comments and names that the
generators make; none of it becomes code, and references in it are not fetched.
"""

from __future__ import annotations

from catalog.code_generation.languages import (
    LANGUAGES,
    Language,
    Project,
    generate_project,
    project_zip,
)

__all__ = ["LANGUAGES", "Language", "Project", "generate_project", "project_zip"]
