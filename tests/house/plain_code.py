"""Finds two things the house does not write: a game asked for by name, and a float where money is counted.

It judges syntax alone: `int / int` also makes a float, and is not seen here.
"""

import ast
from collections.abc import Iterator

GAME_WORDS = {"game", "game_id", "game_name", "ruleset", "ruleset_id", "ruleset_name"}
OF_A_GAME = {"name", "id", "key", "slug", "title"}  # ruleset.name is as good as ruleset_name
TEXT_TESTS = {"startswith", "endswith", "find", "__eq__", "__contains__"}
Found = Iterator[tuple[str, int]]


def game_names_in(tree: ast.AST) -> Found:
    """Comparisons of a game's name with a text: ==, !=, in, match, startswith; "" is not a name."""
    for node in ast.walk(tree):
        match node:
            case ast.Compare(left=left, comparators=others):
                sides = [left, *others]
                if any(_is_game(side) for side in sides) and any(_has_text(side) for side in sides):
                    yield ast.unparse(node), node.lineno
            case ast.Match(subject=subject, cases=cases) if _is_game(subject):
                for case in cases:
                    if _has_text(case.pattern):
                        yield f"case {ast.unparse(case.pattern)}", case.pattern.lineno
            case ast.Call(func=ast.Attribute(value=owner, attr=method), args=args) if method in TEXT_TESTS:
                if _is_game(owner) and any(_has_text(argument) for argument in args):
                    yield ast.unparse(node), node.lineno


def floats_in(tree: ast.AST) -> Found:
    """Float and complex literals, and calls of float()."""
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=float() | complex()):
                yield ast.unparse(node), node.lineno
            case ast.Call(func=ast.Name(id="float")):
                yield ast.unparse(node), node.lineno


def _is_game(node: ast.expr) -> bool:
    match node:
        case ast.Name(id=name):
            return name in GAME_WORDS
        case ast.Attribute(value=owner, attr=name):
            return name in GAME_WORDS or (name in OF_A_GAME and _is_game(owner))
        case ast.Subscript(slice=ast.Constant(value=str(name))):
            return name in GAME_WORDS
        case ast.Call(func=ast.Attribute(value=owner)):  # game.lower()
            return _is_game(owner)
        case ast.Call(func=ast.Name(id="str"), args=[owner]):
            return _is_game(owner)
        case ast.NamedExpr(target=target, value=value):
            return _is_game(target) or _is_game(value)
    return False


def _has_text(node: ast.AST) -> bool:
    """A text, or a collection or pattern of texts; not one deeper inside, as in `game in names["all"]`."""
    match node:
        case ast.Constant(value=str(text)):
            return text != ""
        case ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts):
            return any(_has_text(part) for part in parts)
        case ast.Dict(keys=keys):
            return any(key is not None and _has_text(key) for key in keys)
        case ast.Call(func=ast.Name(id="frozenset" | "set" | "tuple" | "list"), args=[part]):
            return _has_text(part)
        case ast.MatchValue(value=value):
            return _has_text(value)
        case ast.MatchOr(patterns=patterns):
            return any(_has_text(pattern) for pattern in patterns)
        case ast.MatchAs(pattern=pattern):
            return pattern is not None and _has_text(pattern)
    return False
