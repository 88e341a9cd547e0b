"""What the tables of programs are made of: programs with their arguments, in groups."""

import dataclasses
import re

import numpy as np

from tensors import DTYPES, FLOATS, INTEGERS, least, most, shape_text, tensor

EXACT = "exact"


def ulps(count, absolute=None):
    """A bound: so many units in the last place of the expected value, or a difference as small as `absolute`."""
    return f"within {count} ulps" + (f" or {absolute:g}" if absolute is not None else "")


@dataclasses.dataclass
class Program:
    name: str
    text: str
    inputs: list
    bound: str
    # Whether the sign and payload of a nan among the results are XLA's to say: data that is only moved.
    exact_nan: bool = False


class Group:
    """Programs that share a file of expected results."""
    def __init__(self, name):
        self.name = name
        self.programs = []

    def add(self, name, result, inputs=(), bound=EXACT, lines=(), computations=(), exact_nan=False):
        """A module with the parameters p0, p1, … of the inputs' shapes. `result` is an expression, such as
        `f32[2] add(p0, p1)`, or a list of them: the elements of a tuple; it follows after `lines`."""
        inputs = list(inputs)
        assert all(p.name != name for p in self.programs), name
        body = [f"p{i} = {shape_text(a)} parameter({i})" for i, a in enumerate(inputs)]
        body += [line.strip() for part in lines for line in part.strip().splitlines()]
        if isinstance(result, str):
            body.append(f"ROOT r = {result}")
        else:
            body += [f"r{i} = {expression}" for i, expression in enumerate(result)]
            shapes = ", ".join(shape_of_expression(e) for e in result)
            body.append(f"ROOT r = ({shapes}) tuple({', '.join(f'r{i}' for i in range(len(result)))})")
        entry = "ENTRY e {\n" + "".join(f"  {line}\n" for line in body) + "}\n"
        text = f"HloModule {name}\n\n" + "".join(f"{c.strip()}\n\n" for c in dict.fromkeys(computations)) + entry
        self.programs.append(Program(name, text, inputs, bound, exact_nan))


def shape_of_expression(expression):
    """The shape at the start of `f32[2] add(p0, p1)`, tuples too."""
    if not expression.startswith("("):
        return expression.split(" ", 1)[0]
    depth = 0
    for i, c in enumerate(expression):
        depth += (c == "(") - (c == ")")
        if depth == 0:
            return expression[:i + 1]
    raise ValueError(expression)


def computation(name, parameters, lines, result):
    """A computation with these parameters ({"a": "f32[]"})."""
    body = [f"{p} = {s} parameter({i})" for i, (p, s) in enumerate(parameters.items())]
    body += [line.strip() for line in lines] + [f"ROOT r = {result}"]
    return name + " {\n" + "".join(f"  {line}\n" for line in body) + "}"


def combiner(opcode, type_name):
    """The computation `OPCODE_TYPE` of two scalars."""
    return computation(f"{opcode}_{type_name}", {"a": f"{type_name}[]", "b": f"{type_name}[]"}, [],
                       f"{type_name}[] {opcode}(a, b)")


def identifier(*parts):
    """A name for a program."""
    return re.sub(r"\W+", "_", "_".join(str(p) for p in parts if p != "")).replace("-", "_")


def values(type_name, *shape, seed=0):
    """Moderate values, of a kind that sums and products of few of them are exact in the type; no two alike where
    the type has enough."""
    count = int(np.prod(shape, dtype=np.int64))
    mixed = (np.arange(count) * 7 + 3 * seed + 1) % max(count, 1) if count % 7 else (np.arange(count) * 5 +
                                                                                     3 * seed + 1) % max(count, 1)
    if type_name == "pred":
        return tensor("pred", (mixed * 3 + seed) % 5 < 2, shape)
    if type_name in INTEGERS:
        low, high = max(least(type_name), -9), min(most(type_name), 99)
        return tensor(type_name, low + (mixed % (high - low + 1)), shape)
    if type_name in FLOATS:
        if type_name == "f8e8m0fnu":
            return tensor(type_name, 2.0**(mixed % 9 - 3), shape)
        if type_name == "f4e2m1fn":
            return tensor(type_name, np.array([0, 1, -2, 0.5, 6, -1.5, 3, -4])[mixed % 8], shape)
        if type_name.startswith("f8"):
            return tensor(type_name, (mixed % 7 - 3) * 0.5, shape)
        return tensor(type_name, (mixed % 41 - 15) * 0.25, shape)
    return tensor(type_name, (mixed % 23 - 9) * 0.5 + 1j * (mixed % 17 - 6) * 0.25, shape)


def rough_values(type_name, *shape, seed=0):
    """Values between -2 and 2 with all their digits."""
    rng = np.random.default_rng(seed + 1)
    drawn = rng.uniform(-2, 2, shape)
    if type_name.startswith("c"):
        drawn = drawn + 1j * rng.uniform(-2, 2, shape)
    return np.asarray(drawn).astype(DTYPES[type_name])


# What every group may want.
WIDE_INTEGERS = ("s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64")
NARROW_INTEGERS = ("s2", "s4", "u2", "u4")
PLAIN_FLOATS = ("f16", "bf16", "f32", "f64")
# One of each kind.
SOME_TYPES = ("pred", "s4", "s8", "u32", "s64", "f8e4m3fn", "bf16", "f16", "f32", "f64", "c64")
