"""Small slips in code that reads and writes formats, found by a module's syntax."""

from __future__ import annotations

import ast
import random
from collections import defaultdict
from dataclasses import dataclass
from itertools import islice, zip_longest
from pathlib import Path

_COMPARED: dict[type[ast.cmpop], tuple[bytes, bytes]] = {
    ast.Lt: (b"<", b"<="),
    ast.LtE: (b"<=", b"<"),
    ast.Gt: (b">", b">="),
    ast.GtE: (b">=", b">"),
    ast.Eq: (b"==", b"!="),
    ast.NotEq: (b"!=", b"=="),
    ast.Is: (b"is", b"is not"),
    ast.IsNot: (b"is not", b"is"),
    ast.In: (b"in", b"not in"),
    ast.NotIn: (b"not in", b"in"),
}
_ROUNDINGS = {"rint": b"floor", "round": b"floor", "ceil": b"floor"}
# Scales of the formats are powers of two; the smallest number that counts as one.
_SMALLEST_SCALE = 128
# Syntax without effect on results: messages, annotations, imported names.
_SILENT_KEYWORDS = frozenset({"strict", "copy"})
_SILENT = (ast.Raise, ast.JoinedStr, ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal)


@dataclass(frozen=True)
class Slip:
    """One small change of a module: its bytes from ``start`` to ``end`` become ``text``."""

    kind: str
    line: int
    start: int
    end: int
    text: bytes

    def apply(self, source: bytes) -> bytes:
        """Return the source with this slip."""
        return source[: self.start] + self.text + source[self.end :]

    def lines(self, source: bytes) -> tuple[str, str]:
        """Return the lines that differ, before and after, each without indentation and on one line."""
        first = source.rfind(b"\n", 0, self.start) + 1
        last = source.find(b"\n", self.end)
        last = len(source) if last < 0 else last
        after = source[first : self.start] + self.text + source[self.end : last]
        return _joined(source[first:last]), _joined(after)


def _joined(lines: bytes) -> str:
    return " ".join(lines.decode().split())


def find_slips(source: bytes) -> list[Slip]:
    """Return all possible slips in a module, in the order of the lines."""
    finder = _Finder(source)
    finder.visit(ast.parse(source))
    slips = {(slip.start, slip.end, slip.text): slip for slip in finder.slips}
    return sorted(slips.values(), key=lambda slip: (slip.start, slip.end))


def choose(sources: dict[Path, bytes], limit: int | None, seed: int) -> list[tuple[Path, Slip]]:
    """Choose random slips in some modules, and return them in order; all of them without a limit.

    All kinds are chosen in turn, since there are far more numbers than anything else.
    """
    kinds: dict[str, list[tuple[Path, Slip]]] = defaultdict(list)
    for path, source in sources.items():
        for slip in find_slips(source):
            kinds[slip.kind].append((path, slip))
    shuffle = random.Random(seed)
    for kind in sorted(kinds):
        shuffle.shuffle(kinds[kind])
    turns = (each for turn in zip_longest(*(kinds[kind] for kind in sorted(kinds))) for each in turn if each)
    sound = ((path, slip) for path, slip in turns if _is_sound(slip, sources[path]))
    return sorted(islice(sound, limit), key=lambda each: (each[0], each[1].start, each[1].end))


def _is_sound(slip: Slip, source: bytes) -> bool:
    """Return whether the module with the slip has valid syntax."""
    try:
        ast.parse(slip.apply(source))
    except (SyntaxError, ValueError):
        return False
    return True


class _Finder(ast.NodeVisitor):
    """Collects the slips of a module; positions of syntax count bytes of UTF-8."""

    def __init__(self, source: bytes) -> None:
        self.source = source
        self.slips: list[Slip] = []
        self.starts = [0]
        for line in source.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def visit(self, node: ast.AST) -> None:
        if isinstance(node, _SILENT) or (isinstance(node, ast.keyword) and node.arg in _SILENT_KEYWORDS):
            return
        visit = getattr(self, f"visit_{type(node).__name__}", None)
        if visit is not None:
            visit(node)
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list"):
                continue
            for each in value if isinstance(value, list) else [value]:
                if isinstance(each, ast.AST):
                    self.visit(each)

    # --- places in the source ---

    def span(self, node: ast.expr | ast.stmt) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None
        start = self.starts[node.lineno - 1] + node.col_offset
        return start, self.starts[node.end_lineno - 1] + node.end_col_offset

    def text(self, node: ast.expr) -> bytes:
        start, end = self.span(node)
        return self.source[start:end]

    def add(self, kind: str, node: ast.expr | ast.stmt, start: int, end: int, text: bytes) -> None:
        self.slips.append(Slip(kind, node.lineno, start, end, text))

    def replace(self, kind: str, node: ast.expr | ast.stmt, text: bytes) -> None:
        self.add(kind, node, *self.span(node), text)

    def between(self, kind: str, left: ast.expr, right: ast.expr, old: bytes, new: bytes) -> None:
        """Replace the operator between two operands."""
        start, end = self.span(left)[1], self.span(right)[0]
        found = self.source.find(old, start, end)
        if found >= 0:
            self.add(kind, left, found, found + len(old), new)

    def swap(self, kind: str, one: ast.expr, two: ast.expr) -> None:
        (start, middle), (again, end) = self.span(one), self.span(two)
        if self.text(one) != self.text(two):
            swapped = self.text(two) + self.source[middle:again] + self.text(one)
            self.add(kind, one, start, end, swapped)

    # --- slips by kind of syntax ---

    def visit_List(self, node: ast.List | ast.Tuple) -> None:
        """Swap neighbors of a table: fields of a record, sections of a layout."""
        for one, two in zip(node.elts, node.elts[1:], strict=False):
            if type(one) is type(two) and isinstance(one, ast.Tuple | ast.Call):
                self.swap("neighbors", one, two)

    def visit_Tuple(self, node: ast.Tuple) -> None:
        self.visit_List(node)

    def visit_Call(self, node: ast.Call) -> None:
        for one, two in zip(node.args, node.args[1:], strict=False):
            if type(one) is type(two) and isinstance(one, ast.Name | ast.Attribute | ast.Constant | ast.Call):
                self.swap("arguments", one, two)
        if isinstance(node.func, ast.Attribute) and node.func.attr in _ROUNDINGS:
            start, end = self.span(node.func)
            name = node.func.attr.encode()
            if isinstance(node.func.value, ast.Name) and node.func.value.id in ("np", "math"):
                self.add("rounding", node, end - len(name), end, _ROUNDINGS[node.func.attr])
        elif isinstance(node.func, ast.Name) and node.func.id == "round" and len(node.args) == 1:
            start, end = self.span(node.func)
            self.add("rounding", node, start, end, b"int")

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        kinds = {ast.USub: "sign", ast.Not: "not"}
        kind = kinds.get(type(node.op))
        if kind:
            start, end = self.span(node)
            inner, last = self.span(node.operand)
            # Parentheses around the operand are kept.
            kept = self.source[start:end].removeprefix(b"-").removeprefix(b"not").lstrip()
            if kept or inner < last:
                self.add(kind, node, start, end, b" " + kept if kind == "not" else kept)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        texts = (ast.JoinedStr, ast.List, ast.Tuple, ast.ListComp)
        operands = (node.left, node.right)
        if any(isinstance(each, texts) or _is_text(each) for each in operands):
            return
        if isinstance(node.op, ast.Add):
            self.between("plus and minus", *operands, b"+", b"-")
        elif isinstance(node.op, ast.Sub):
            self.between("plus and minus", *operands, b"-", b"+")
        elif isinstance(node.op, ast.LShift):
            self.between("shift", *operands, b"<<", b">>")
        elif isinstance(node.op, ast.RShift):
            self.between("shift", *operands, b">>", b"<<")

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        if isinstance(node.op, ast.Add) and not isinstance(node.value, ast.List | ast.Tuple | ast.ListComp):
            self.between("plus and minus", node.target, node.value, b"+=", b"-=")
        elif isinstance(node.op, ast.Sub):
            self.between("plus and minus", node.target, node.value, b"-=", b"+=")
        self.replace("left out", node, b"pass")

    def visit_Compare(self, node: ast.Compare) -> None:
        left = node.left
        for operator, right in zip(node.ops, node.comparators, strict=True):
            self.between("comparison", left, right, *_COMPARED[type(operator)])
            left = right

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        words = (b"and", b"or") if isinstance(node.op, ast.And) else (b"or", b"and")
        for left, right in zip(node.values, node.values[1:], strict=False):
            self.between("and and or", left, right, *words)

    def visit_Constant(self, node: ast.Constant) -> None:
        value = node.value
        if type(value) is int:
            text = self.text(node)
            new = f"{value + 1:#x}" if text.lower().startswith(b"0x") else str(value + 1)
            self.replace("number", node, new.encode())
            if value >= _SMALLEST_SCALE and value & (value - 1) == 0:
                self.replace("scale", node, str(value // 2).encode())
        elif type(value) is float and value:
            self.replace("scale", node, repr(value / 2).encode())
        elif type(value) is bool:
            self.replace("true and false", node, str(not value).encode())

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call):
            self.replace("left out", node, b"pass")

    def visit_Assign(self, node: ast.Assign) -> None:
        if all(isinstance(target, ast.Attribute | ast.Subscript) for target in node.targets):
            self.replace("left out", node, b"pass")


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str | bytes)
