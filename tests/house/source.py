"""Reads Python files as syntax trees and lists what they import; runs and imports none of them.

It sees what is written, not what is computed: `import_module("a.b")` and `import_module(f"a.{x}")` are
imports of `a.b` and `a.*`; a name that comes out of a table or a file is not seen.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

NOT_OURS = {"build", "dist", "node_modules", "venv"}


@dataclass(frozen=True)
class Module:
    """One file: its dotted name, where it lies, and its tree."""

    name: str
    path: Path
    is_package: bool
    tree: ast.Module

    @property
    def package(self) -> str:
        return self.name if self.is_package else self.name.rpartition(".")[0]


@dataclass(frozen=True)
class Import:
    """One thing a module imports: `from a import b` is `a.b`, whether b is a module or a name in one."""

    target: str
    line: int
    lazy: bool  # inside a function, or only for the type checker: nothing is loaded when the module is


def read_tree(root: Path) -> list[Module]:
    """Every module under root, by path; tests, hidden folders and build left-overs are left out."""
    modules = []
    for path in sorted(root.rglob("*.py")):
        inside = path.relative_to(root)
        folders = inside.parts[:-1]
        if folders[:1] == ("tests",) or any(f.startswith(".") or f in NOT_OURS for f in folders):
            continue
        is_package = path.name == "__init__.py"
        name = ".".join(folders if is_package else (*folders, path.stem))
        tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
        modules.append(Module(name, inside, is_package, tree))
    return modules


def imports_of(module: Module) -> list[Import]:
    walker = _ImportWalker(module)
    walker.visit(module.tree)
    return walker.found


class _ImportWalker(ast.NodeVisitor):
    def __init__(self, module: Module) -> None:
        self.module = module
        self.found: list[Import] = []
        self.lazy = False
        # What this file calls the two doors to a dynamic import, however it renamed them.
        self.importlib_names = set[str]()
        self.import_module_names = {"__import__"}

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._add(alias.name, node)
            if alias.name.partition(".")[0] == "importlib":
                self.importlib_names.add(alias.asname or "importlib")

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        base = self._absolute("." * node.level + (node.module or ""), self.module.package)
        for alias in node.names:
            self._add(f"{base}.{alias.name}", node)
            if (base, alias.name) == ("importlib", "import_module"):
                self.import_module_names.add(alias.asname or alias.name)

    def visit_Call(self, node: ast.Call) -> None:
        if self._is_dynamic_import(node.func):
            given = {word.arg: word.value for word in node.keywords}
            name = node.args[0] if node.args else given.get("name")
            anchor = node.args[1] if len(node.args) > 1 else given.get("package")
            text = "" if name is None else start_of_text(name)
            if text:
                self._add(self._absolute(text, self._anchor(anchor)), node)
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        # Decorators, defaults and annotations run when the module is loaded; only the body waits for a call.
        for now in (*node.decorator_list, node.args, *([node.returns] if node.returns else [])):
            self.visit(now)
        self._visit_later(node.body)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.visit_FunctionDef(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.visit(node.args)
        self._visit_later([node.body])

    def visit_If(self, node: ast.If) -> None:
        self.visit(node.test)
        if ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            self._visit_later(node.body)
        else:
            for statement in node.body:
                self.visit(statement)
        for statement in node.orelse:
            self.visit(statement)

    def _visit_later(self, nodes: list[ast.stmt] | list[ast.expr]) -> None:
        before, self.lazy = self.lazy, True
        for node in nodes:
            self.visit(node)
        self.lazy = before

    def _add(self, target: str, node: ast.stmt | ast.expr) -> None:
        self.found.append(Import(target, node.lineno, self.lazy))

    def _is_dynamic_import(self, func: ast.expr) -> bool:
        match func:
            case ast.Name(id=name):
                return name in self.import_module_names
            case ast.Attribute(value=ast.Name(id=owner), attr="import_module"):
                return owner in self.importlib_names
        return False

    def _anchor(self, node: ast.expr | None) -> str:
        match node:
            case ast.Constant(value=str(text)):
                return text
            case ast.Name(id="__name__"):
                return self.module.name
        return self.module.package

    @staticmethod
    def _absolute(name: str, package: str) -> str:
        """`..store.x` seen from `controller.rules.engine` is `controller.store.x`."""
        bare = name.lstrip(".")
        dots = len(name) - len(bare)
        if dots == 0:
            return name
        parts = package.split(".")
        return ".".join([*parts[: max(0, len(parts) - dots + 1)], *([bare] if bare else [])])


def start_of_text(node: ast.expr) -> str:
    """The text an expression certainly starts with; `*` stands for the part only running it would tell."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=[first, *rest]):
            start = start_of_text(first)
            return f"{start}*" if rest and start and not start.endswith("*") else start
        case ast.BinOp(left=left, op=ast.Add() | ast.Mod()):
            start = start_of_text(left)
            return f"{start}*" if start else ""
    return ""


def calls_of(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Every call of a plain name, such as `print(...)`, with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.func.id, node.lineno
