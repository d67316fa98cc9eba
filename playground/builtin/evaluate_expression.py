"""Evaluate an arithmetic expression that is given as a tree."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Literal

from pydantic import BaseModel, Field

from playground.builtin.rounding import rounded
from playground.builtin.shipped import SPECS
from toolshelf_tools import tool

Operator = Literal["+", "-", "*", "/", "^"]
Function = Literal[
    "abs", "sqrt", "exp", "ln", "sin", "cos", "tan", "floor", "ceil", "round", "min", "max", "sum"
]

OPERATORS: dict[Operator, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "^": math.pow,
}
PRECEDENCE: dict[Operator, int] = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 3}
ATOM = 4
ONE_ARGUMENT: dict[Function, Callable[[float], float]] = {
    "abs": abs,
    "sqrt": math.sqrt,
    "exp": math.exp,
    "ln": math.log,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "floor": math.floor,
    "ceil": math.ceil,
    "round": round,
}
ANY_ARGUMENTS: dict[Function, Callable[[list[float]], float]] = {
    "min": min,
    "max": max,
    "sum": math.fsum,
}


class NumberNode(BaseModel):
    kind: Literal["number"]
    value: float


class VariableNode(BaseModel):
    kind: Literal["variable"]
    name: str


class OperationNode(BaseModel):
    kind: Literal["operation"]
    operator: Operator
    left: Node
    right: Node


class CallNode(BaseModel):
    kind: Literal["call"]
    function: Function
    arguments: list[Node]


Node = Annotated[NumberNode | VariableNode | OperationNode | CallNode, Field(discriminator="kind")]


class Step(BaseModel):
    formula: str
    value: int | float


class Evaluated(BaseModel):
    value: int | float
    formula: str
    steps: list[Step]


@tool(spec=SPECS / "evaluate_expression.json")
def evaluate_expression(expression: Node, variables: dict[str, float] | None = None) -> Evaluated:
    evaluation = Evaluation(variables or {})
    result = evaluation.of(expression)
    return Evaluated(value=rounded(result.value), formula=result.formula, steps=evaluation.steps)


@dataclass(frozen=True)
class Result:
    """The value of a node and its formula; `precedence` determines when the formula needs parentheses."""

    value: float
    formula: str
    precedence: int = ATOM

    def inside(self, precedence: int) -> str:
        return self.formula if self.precedence >= precedence else f"({self.formula})"


@dataclass(frozen=True)
class Evaluation:
    """One evaluation of a tree, from the leaves to the root."""

    variables: dict[str, float]
    steps: list[Step] = field(default_factory=list)

    def of(self, node: Node) -> Result:
        """The result of `node`; every operation and call inside adds a step.

        Raises:
            ValueError: a variable is unknown, a function has too many arguments, or there is no
                finite value.
        """
        match node:
            case NumberNode():
                return Result(node.value, str(rounded(node.value)), ATOM if node.value >= 0 else 0)
            case VariableNode():
                return self._variable(node)
            case OperationNode():
                return self._operation(node)
            case CallNode():
                return self._call(node)

    def _variable(self, node: VariableNode) -> Result:
        if node.name not in self.variables:
            raise ValueError(
                f"The variable {node.name!r} has no value; give it one in `variables`."
            )
        return Result(self.variables[node.name], node.name)

    def _operation(self, node: OperationNode) -> Result:
        left, right = self.of(node.left), self.of(node.right)
        precedence = PRECEDENCE[node.operator]
        # a - (b - c) needs its parentheses, (a - b) - c does not; for powers it is the other way
        # round
        left_needs, right_needs = (
            (precedence + 1, precedence) if node.operator == "^" else (precedence, precedence + 1)
        )
        formula = f"{left.inside(left_needs)} {node.operator} {right.inside(right_needs)}"
        return self._step(
            formula, precedence, lambda: OPERATORS[node.operator](left.value, right.value)
        )

    def _call(self, node: CallNode) -> Result:
        arguments = [self.of(argument) for argument in node.arguments]
        values = [argument.value for argument in arguments]
        formula = f"{node.function}({', '.join(argument.formula for argument in arguments)})"
        if node.function in ANY_ARGUMENTS:
            return self._step(formula, ATOM, lambda: ANY_ARGUMENTS[node.function](values))
        if len(values) != 1:
            raise ValueError(f"{node.function} takes one argument, not {len(values)}.")
        return self._step(formula, ATOM, lambda: ONE_ARGUMENT[node.function](values[0]))

    def _step(self, formula: str, precedence: int, compute: Callable[[], float]) -> Result:
        try:
            value = compute()
            self.steps.append(Step(formula=formula, value=rounded(value)))
        except ZeroDivisionError:
            raise ValueError(f"{formula} divides by zero.") from None
        except (ArithmeticError, ValueError):
            raise ValueError(f"{formula} has no finite value.") from None
        return Result(value, formula, precedence)
