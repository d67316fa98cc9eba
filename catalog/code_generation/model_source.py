"""The source code that datamodel-code-generator returns, checked and put together.

A spec is a stranger's text, so the code is parsed and compared with the few forms that the documents of `typed_schema`
lead to: classes with annotated members, types from a short list, and constants. Anything else is refused, so that text
of a spec can only be a constant or the name of a class or member that was made here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from catalog.errors import GenerationError

_FROM: Final[Mapping[str, frozenset[str]]] = {
    "__future__": frozenset({"annotations"}),
    "datetime": frozenset({"date"}),
    "generated": frozenset({"Model"}),
    "pydantic": frozenset({"AwareDatetime", "ConfigDict", "Field", "JsonValue"}),
    "typing": frozenset({"Annotated", "Literal"}),
    "uuid": frozenset({"UUID"}),
}
_BUILTIN: Final = frozenset({"str", "int", "float", "bool"})
_COMMENT: Final = re.compile(r"[^ -~]+")  # characters that a comment may not contain
MAX_COMMENT: Final = 200  # characters


class Unexpected(GenerationError):
    """The generated code has a form that it must not have."""


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a class: its identifier, its type as source, and whether it may be left out."""

    name: str
    type_: str
    is_optional: bool


@dataclass(slots=True)
class ModelSource:
    """Checked source code.

    Attributes:
        imports: module -> names, as in `from module import name`; "date as date_aliased" is one.
        classes: the source of each class, each before the classes that use it as far as possible.
        members: of each class, in the order of the source.
        roots: the types of the roots, by name, as source.
    """

    imports: dict[str, set[str]] = field(default_factory=dict)
    classes: list[str] = field(default_factory=list)
    members: dict[str, tuple[Member, ...]] = field(default_factory=dict)
    roots: dict[str, str] = field(default_factory=dict)


def model_source(
    text: str,
    *,
    roots: Mapping[str, str],
    classes: Mapping[str, frozenset[str]],
    comments: Mapping[tuple[str, str], list[str]],
) -> ModelSource:
    """The parts of the generated code `text`.

    Args:
        text: the output of the generator.
        roots: of each root its member in the class `Roots`.
        classes: the members of each class, as identifiers.
        comments: by class and identifier, why it is a `JsonValue`.

    Raises:
        Unexpected: the code is not of the expected form, or a class or member is missing.
    """
    return _Reader(text, classes, comments).read(roots)


class _Reader:
    def __init__(
        self,
        text: str,
        classes: Mapping[str, frozenset[str]],
        comments: Mapping[tuple[str, str], list[str]],
    ) -> None:
        self._text = text
        self._lines = text.split("\n")
        self._classes = classes
        self._comments = comments
        self._imported: dict[str, tuple[str, str]] = {}  # local name -> module and name
        self._used: set[str] = set()

    def read(self, roots: Mapping[str, str]) -> ModelSource:
        try:
            module = ast.parse(self._text)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            raise Unexpected(
                f"the generated code cannot be parsed: {type(error).__name__}"
            ) from None
        result = ModelSource()
        found: dict[str, ast.ClassDef] = {}
        for statement in module.body:
            match statement:
                case ast.ImportFrom():
                    self._import(statement)
                case ast.ClassDef(bases=[ast.Name("Model")], keywords=[], decorator_list=[]):
                    found[statement.name] = statement
                case ast.Expr(ast.Call(ast.Attribute(ast.Name(name), "model_rebuild"), [], [])) if (
                    name in found
                ):
                    pass
                case _:
                    raise _unexpected(statement)
        if found.keys() != {*self._classes, "Roots"}:
            raise Unexpected("the classes in the generated code do not match the schemas")
        for name, definition in found.items():
            if name != "Roots":
                result.classes.append(self._class(definition))
                result.members[name] = tuple(map(_member, self._fields(definition)))
        members = {field.target.id: field for field in self._fields(found["Roots"])}  # type: ignore[union-attr]
        for root, member in roots.items():
            self._check_type(members[member].annotation)
            result.roots[root] = ast.unparse(members[member].annotation)
        for name in self._used & self._imported.keys():
            module_name, original = self._imported[name]
            text = original if original == name else f"{original} as {name}"
            result.imports.setdefault(module_name, set()).add(text)
        return result

    def _import(self, statement: ast.ImportFrom) -> None:
        for alias in statement.names:
            if statement.level or alias.name not in _FROM.get(statement.module or "", ()):
                raise _unexpected(statement)
            self._imported[alias.asname or alias.name] = (str(statement.module), alias.name)

    def _fields(self, definition: ast.ClassDef) -> Iterator[ast.AnnAssign]:
        for statement in definition.body:
            match statement:
                case ast.AnnAssign(target=ast.Name(), simple=1):
                    yield statement
                case ast.Pass() | ast.Expr(ast.Constant(str())):
                    pass
                case ast.Assign(
                    [ast.Name("model_config")], ast.Call(ast.Name("ConfigDict"), [], keywords)
                ):
                    if not all(isinstance(keyword.value, ast.Constant) for keyword in keywords):
                        raise _unexpected(statement)
                case _:
                    raise _unexpected(statement)

    def _class(self, definition: ast.ClassDef) -> str:
        fields = list(self._fields(definition))
        names = [field.target.id for field in fields if isinstance(field.target, ast.Name)]
        if len(names) != len(set(names)) or set(names) != self._classes[definition.name]:
            raise Unexpected("the fields in the generated code do not match the schemas")
        lines = [f"class {definition.name}(Model):"]
        documentation = definition.body[0]
        if isinstance(documentation, ast.Expr):
            lines += [*self._source(documentation), ""]
        if _is_closed(definition):
            lines += ['    model_config = ConfigDict(extra="forbid")', ""]
            self._used.add("ConfigDict")
        for name, statement in zip(names, fields, strict=True):
            self._check_type(statement.annotation)
            if statement.value is not None:
                _check_constant(statement.value)
            lines += [
                f"    {line}"
                for line in comment_lines(self._comments.get((definition.name, name), ()))
            ]
            lines += self._source(statement)
        if not fields and len(lines) == 1:
            lines.append("    pass")
        while not lines[-1]:
            lines.pop()
        return "\n".join(lines)

    def _source(self, node: ast.stmt) -> list[str]:
        return self._lines[node.lineno - 1 : node.end_lineno]

    def _check_type(self, node: ast.expr) -> None:
        match node:
            case ast.Constant(None):
                pass
            case ast.Name(name) if (
                name in _BUILTIN or name in self._classes or name in self._imported
            ):
                self._used.add(name)
            case ast.BinOp(left, ast.BitOr(), right):
                self._check_type(left)
                self._check_type(right)
            case ast.Subscript(ast.Name("list"), item):
                self._check_type(item)
            case ast.Subscript(ast.Name("dict"), ast.Tuple([ast.Name("str"), item])):
                self._check_type(item)
            case ast.Subscript(ast.Name("Literal"), values):
                self._used.add("Literal")
                for value in values.elts if isinstance(values, ast.Tuple) else [values]:
                    _check_constant(value)
            case ast.Subscript(
                ast.Name("Annotated"),
                ast.Tuple([item, ast.Call(ast.Name("Field"), given, keywords)]),
            ):
                self._used |= {"Annotated", "Field"}
                self._check_type(item)
                for value in [
                    *given,
                    *(keyword.value for keyword in keywords),
                ]:  # `Field(None)` if it is only null
                    _check_constant(value)
            case _:
                raise _unexpected(node)


def _member(field: ast.AnnAssign) -> Member:
    type_ = field.annotation
    if (
        isinstance(type_, ast.Subscript)
        and isinstance(type_.value, ast.Name)
        and type_.value.id == "Annotated"
    ):
        type_ = type_.slice.elts[0] if isinstance(type_.slice, ast.Tuple) else type_.slice
    return Member(ast.unparse(field.target), ast.unparse(type_), field.value is not None)


def comment_lines(reasons: list[str] | tuple[str, ...]) -> list[str]:
    """Comments that explain a `JsonValue`; only printable ASCII, so that each is one line."""
    return [f"# JsonValue: {_COMMENT.sub('?', reason)[:MAX_COMMENT]}." for reason in reasons]


def _is_closed(definition: ast.ClassDef) -> bool:
    return any(
        keyword.arg == "extra"
        and isinstance(keyword.value, ast.Constant)
        and keyword.value.value == "forbid"
        for statement in definition.body
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Call)
        for keyword in statement.value.keywords
    )


def _check_constant(node: ast.expr) -> None:
    match node:
        case ast.Constant(None | bool() | int() | float() | str()):
            pass
        case ast.UnaryOp(ast.USub(), ast.Constant(int() | float())):
            pass
        case _:
            raise _unexpected(node)


def _unexpected(node: ast.AST) -> Unexpected:
    return Unexpected(f"the generated code has an unexpected form ({type(node).__name__})")
