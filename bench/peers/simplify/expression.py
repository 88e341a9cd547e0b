"""Index expressions in Mercator's text, for the parts of this comparison that are written in Python.

An expression is a tuple: ("number", value), ("variable", name), or (operator, operand, operand) where the
operator is one of + - * floordiv mod ceildiv min max. A line is `EXPR, domain: d0 in [0, 7], …`.
"""

import re
import sys

BINARY = {"+": 1, "-": 1, "*": 2, "floordiv": 2, "mod": 2, "ceildiv": 2}
_ALIASES = {"/": "floordiv", "%": "mod"}
_TOKEN = re.compile(r"\s*(?:(\d+)|([A-Za-z_]\w*)|([-+*/%(),]))")
_BOUNDS = re.compile(r"(\w+) in \[(-?\d+), (-?\d+)\]")


def number(value):
    return ("number", value)


def variable(name):
    return ("variable", name)


class _Parser:
    def __init__(self, text):
        self.tokens = []
        position = 0
        text = text.rstrip()
        while position < len(text):
            match = _TOKEN.match(text, position)
            if not match:
                raise ValueError(f"unexpected text at {position}: {text!r}")
            token = match.group(match.lastindex)
            self.tokens.append(_ALIASES.get(token, token))
            position = match.end()
        self.tokens.append(None)
        self.next = 0

    def peek(self):
        return self.tokens[self.next]

    def take(self, *wanted):
        token = self.peek()
        if wanted and token not in wanted:
            raise ValueError(f"expected {wanted}, found {token}")
        self.next += 1
        return token

    # A leading minus negates the whole product, as in Mercator and MLIR.
    def sum(self):
        if self.peek() == "-":
            self.take()
            result = ("*", self.product(), number(-1))
        else:
            result = self.product()
        while self.peek() in ("+", "-"):
            operator = self.take()
            result = (operator, result, self.product())
        return result

    def product(self):
        result = self.factor()
        while BINARY.get(self.peek()) == 2:
            operator = self.take()
            result = (operator, result, self.factor())
        return result

    def factor(self):
        token = self.take()
        if token == "-":
            factor = self.factor()
            return number(-factor[1]) if factor[0] == "number" else ("*", factor, number(-1))
        if token == "(":
            result = self.sum()
            self.take(")")
            return result
        if token in ("min", "max"):
            self.take("(")
            result = self.sum()
            while self.take(",", ")") == ",":
                result = (token, result, self.sum())
            return result
        return number(int(token)) if token.isdigit() else variable(token)


def parse(text):
    """The expression that `text` stands for."""
    parser = _Parser(text)
    result = parser.sum()
    parser.take(None)
    return result


def text(expression, level=0):
    """Text that reads back to `expression`; parenthesised where the place binds tighter than `level`."""
    kind = expression[0]
    if kind == "number":
        return str(expression[1]) if expression[1] >= 0 or level == 0 else f"({expression[1]})"
    if kind == "variable":
        return expression[1]
    if kind in ("min", "max"):
        return f"{kind}({text(expression[1])}, {text(expression[2])})"
    own = BINARY[kind]
    written = f"{text(expression[1], own)} {kind} {text(expression[2], own + 1)}"
    return f"({written})" if own < level else written


def fold(expression, leaf, operation):
    """Builds another representation: `leaf(kind, value)` and `operation(kind, a, b)`. Equal subexpressions
    are built once."""
    made = {}

    def visit(node):
        if node not in made:
            kind = node[0]
            if kind in ("number", "variable"):
                made[node] = leaf(kind, node[1])
            else:
                made[node] = operation(kind, visit(node[1]), visit(node[2]))
        return made[node]

    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, 100_000))
    try:
        return visit(expression)
    finally:
        sys.setrecursionlimit(limit)


def read_line(line):
    """The expression of a line, and the bounds of its variables by name."""
    written, _, domain = line.partition(", domain:")
    bounds = {name: (int(low), int(high)) for name, low, high in _BOUNDS.findall(domain)}
    return parse(written), bounds


def read_lines(path):
    """The lines of a file that hold an expression."""
    with open(path, encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file if line.strip() and not line.startswith("#")]


def answer_lines(source, target, run):
    """Writes what `run` says of each line of `source`, or what it raises, to `target`."""
    with open(target, "w", encoding="utf-8") as output:
        for line in read_lines(source):
            try:
                answer = run(line)
            except Exception as error:  # whatever a peer raises, it is the answer
                answer = f"0\t!{type(error).__name__}: {' '.join(str(error).split())[:120]}"
            output.write(answer + "\n")
