#!/usr/bin/env python3
"""Random HLO modules with arguments, for comparing Mercator with XLA.

    random_modules.py SEED     prints a module, and how far its results may be from XLA's

Needs numpy and ml_dtypes. A module has about 20 instructions of mixed types: whatever XLA:CPU executes on one device and
whose result is determined. The generator knows of each value how large it may become and how far two right evaluations
may be apart (XLA's functions are approximations, sums are added in another order, products and sums are fused into one
rounding), and so

- keeps floating-point numbers moderate, but for the nan and the infinities of some arguments,
- applies what is not continuous (comparisons, rounding, sorting, conversions to integers, indices) to exact values only,
- says of each result how large a difference is none.
"""

import dataclasses
import math
import re
import sys

import numpy as np

from module_text import Computation, Instruction, Module
from tensors import DTYPES, FLOATS, INTEGERS, PART, SIGNED, bits_of, least, literal, most, tensor

INTS = ("s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64")
REALS = ("f16", "bf16", "f32", "f64")
COMPLEXES = ("c64", "c128")
# Moved, converted and compared, but not computed with: XLA:CPU's arithmetic of 4 bits does not wrap.
MOVED = ("s4", "u4", "f8e4m3fn", "f8e5m2")
TYPES = INTS + REALS * 3 + COMPLEXES + MOVED + ("pred", )
# Half the distance of neighbours around 1, and the largest size of values that are not exact.
EPSILON = {"f16": 2.0**-11, "bf16": 2.0**-8, "f32": 2.0**-24, "f64": 2.0**-53}
LIMIT = {"f16": 1e3, "bf16": 1e12, "f32": 1e12, "f64": 1e100}


@dataclasses.dataclass
class Value:
    name: str
    type: str
    dims: tuple
    size: float = math.inf  # of floats: no finite element is larger
    error: float = 0.0  # of floats: how far two right evaluations may be apart
    moved: bool = True  # only moved bits: the sign of a nan is known
    finite: bool = True  # neither nan nor infinity
    product: bool = False  # a sum with it may be fused to one rounding

    @property
    def exact(self):
        return self.error == 0

    @property
    def count(self):
        return math.prod(self.dims)


def is_real(name):
    return name in REALS


def epsilon(name):
    return EPSILON[PART.get(name, name)]


def limit(name):
    return LIMIT[PART.get(name, name)]


def shape(name, dims):
    return f"{name}[{','.join(map(str, dims))}]"


def braces(numbers):
    return "{" + ",".join(str(int(n)) for n in numbers) + "}"


class NotNow(Exception):
    """The instruction does not fit what there is."""


class Generator:
    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.name = f"random_{seed}"
        self.instructions = []
        self.computations = []
        self.values = []
        self.arguments = []
        self.counter = 0
        self.reads = set()  # of names
        self.within = False  # making a fused or called computation

    # ---- draws ----

    def chance(self, probability):
        return self.rng.random() < probability

    def draw(self, low, high):
        """An integer of low … high."""
        return int(self.rng.integers(low, high, endpoint=True))

    def one_of(self, things):
        return things[int(self.rng.integers(len(things)))]

    def dims(self, most_rank=3):
        rank = self.one_of([0, 1, 1, 2, 2, 2, 3, 3][:2 * most_rank + 2])
        return tuple(0 if self.chance(0.02) else self.draw(1, 5) for _ in range(rank))

    def pick(self, test):
        """A value that the test accepts; late ones rather than early ones."""
        found = [v for v in self.values if test(v)]
        if not found:
            raise NotNow
        index = len(found) - 1 - int(len(found) * self.rng.random()**1.6)
        return found[index]

    def elements(self, name, dims, special=False, low=-4.0, high=4.0):
        """An array of drawn elements."""
        count = math.prod(dims)
        if name == "pred":
            return tensor("pred", self.rng.random(count) < 0.5, dims)
        if name in INTEGERS:
            small = self.rng.integers(max(least(name), -9), min(most(name), 12), count, endpoint=True).tolist()
            drawn = [
                self.one_of([least(name), most(name), x, 0]) if special and self.chance(0.2) else x for x in small
            ]
            return tensor(name, drawn, dims) if count else np.zeros(dims, DTYPES[name])
        if name in COMPLEXES:
            drawn = np.zeros(dims, DTYPES[name])
            drawn.real, drawn.imag = self.elements(PART[name], dims,
                                                   special), self.elements(PART[name], dims, special)
            return drawn
        drawn = self.rng.uniform(low, high, count)
        if self.chance(0.6):
            drawn = np.round(drawn * 8) / 8
        if special:
            hard = np.array([np.nan, np.inf, -np.inf, -0.0, 0.0, 1.0])
            drawn = np.where(self.rng.random(count) < 0.15, hard[self.rng.integers(0, 6, count)], drawn)
        return tensor(name, drawn, dims)

    # ---- emission ----

    def emit(self, opcode, name, dims, operands=(), attributes="", calls=(), text=None, prefix="v", **known):
        """Appends an instruction whose result is an array; what is `known` of the value are the fields of Value."""
        value = Value(f"{prefix}{self.counter}", name, tuple(int(d) for d in dims), **known)
        self.append(value.name, shape(name, value.dims), opcode, operands, attributes, calls, text)
        self.values.append(value)
        return value

    def append(self, name, shape_text, opcode, operands, attributes="", calls=(), text=None):
        names = [o if isinstance(o, str) else o.name for o in operands]
        self.reads.update(names)
        self.counter += 1
        self.instructions.append(Instruction(name, shape_text, opcode, names, attributes, text, tuple(calls)))

    def emit_tuple(self, opcode, parts, operands, attributes="", calls=()):
        """An instruction whose result is a tuple, and its elements. `parts` are (type, dims, known)."""
        whole = f"t{self.counter}"
        shapes = ", ".join(shape(n, d) for n, d, _ in parts)
        self.append(whole, f"({shapes})", opcode, operands, attributes, calls)
        return [
            self.emit("get-tuple-element", n, d, [whole], f"index={i}", **known)
            for i, (n, d, known) in enumerate(parts)
        ]

    def constant(self, name, dims, array=None):
        array = self.elements(name, dims) if array is None else array
        text = re.sub(r"-0(?![.\d])", "-0.0", literal(array))  # XLA reads -0 as an integer
        return self.emit("constant", name, dims, text=text, prefix="k", **self.known_of(array))

    def scalar(self, name, number):
        return self.constant(name, (), tensor(name, number))

    def known_of(self, array):
        name = next(n for n, d in DTYPES.items() if d == array.dtype)
        if name in INTEGERS or name == "pred":
            return {}
        wide = array.astype(np.complex128 if name in COMPLEXES else np.float64)
        finite = bool(np.isfinite(wide).all())
        sizes = np.abs(wide[np.isfinite(wide)])
        return {"size": float(sizes.max()) if sizes.size else 0.0, "finite": finite}

    def parameter(self, name, dims, special):
        array = self.elements(name, dims, special)
        value = self.emit("parameter",
                          name,
                          dims,
                          text=str(len(self.arguments)),
                          prefix="p",
                          **self.known_of(array))
        self.arguments.append(array)
        return value

    def index(self, size):
        """A scalar index into `size` places, out of range at times."""
        name = self.one_of(["s32", "s32", "s64", "s8", "u8", "u32"])
        number = self.draw(0, max(size, 1)) if self.chance(0.6) else self.draw(
            -3, 9) if self.chance(0.7) else self.one_of([least(name), most(name)])
        number = min(max(number, least(name)), most(name))
        if self.within or self.chance(0.5):
            # XLA takes a constant without a sign for one with a sign.
            return self.scalar(name, min(number, most(f"s{bits_of(name)}")))
        found = [v for v in self.values if v.dims == () and v.type in INTS]
        if found and self.chance(0.5):
            return self.one_of(found)
        value = self.emit("parameter", name, (), text=str(len(self.arguments)), prefix="p")
        self.arguments.append(tensor(name, number))
        return value

    def same_index_type(self, count, sizes):
        """Indices of one type, as dynamic-slice wants them."""
        first = self.index(sizes[0]) if count else None
        rest = [
            self.scalar(first.type, min(max(self.draw(-2, s + 1), least(first.type)), most(first.type)))
            for s in sizes[1:]
        ]
        return [first, *rest] if count else []

    def partner(self, value, test=lambda v: True):
        """Another value of the same type and dimensions."""
        found = [v for v in self.values if v.type == value.type and v.dims == value.dims and test(v)]
        if found and self.chance(0.7):
            return self.one_of(found)
        return self.constant(value.type, value.dims)

    def scalar_computation(self, label, parameters, lines, result):
        """A computation of scalars, once for each label. `lines` are Instructions."""
        if all(c.name != label for c in self.computations):
            head = [Instruction(p, s, "parameter", [], "", str(i)) for i, (p, s) in enumerate(parameters)]
            self.computations.append(Computation(label, head + lines, result))
        return label

    def combiner(self, opcode, name):
        scalar = shape(name, ())
        return self.scalar_computation(f"{opcode}_{name}", [("a", scalar), ("b", scalar)],
                                       [Instruction("c", scalar, opcode, ["a", "b"])], "c")

    # ---- what is known of results ----

    @staticmethod
    def moved_from(*values):
        """Of elements of these values, unchanged."""
        return {
            "size": max(v.size for v in values), "error": max(v.error for v in values), "moved":
            all(v.moved for v in values), "finite": all(v.finite for v in values), "product":
            any(v.product for v in values)
        }

    def computed(self, name, size, error, values, product=False):
        """Of a function of these values. Refuses what may grow too large to bound."""
        if name not in REALS and name not in COMPLEXES:
            return {}
        large = size > limit(name)
        if large and error > 0:
            raise NotNow
        return {
            "size": math.inf if large else size, "error": error, "moved": False, "finite": not large
            and all(v.finite for v in values), "product": product
        }


def lists(*names):
    return [x for n in names for x in n]


# Each takes a generator, appends an instruction (with others that it needs), or raises NotNow. The number is how often.
EMITTERS = []


def emitter(weight, within=True):
    """`within`: whether called computations may have it as well, or ("calls") all of them but fusions: what XLA:CPU, before
    layouts are assigned, does not take there."""
    def add(function):
        EMITTERS.append((weight, within, function))
        return function

    return add


# ---- elementwise ----


@emitter(8)
def binary_integer(g):
    a = g.pick(lambda v: v.type in INTS)
    b = g.partner(a)
    opcode = g.one_of([
        "add", "subtract", "multiply", "divide", "remainder", "maximum", "minimum", "and", "or", "xor",
        "shift-left", "shift-right-logical", "shift-right-arithmetic"
    ])
    g.emit(opcode, a.type, a.dims, [a, b])


@emitter(1)
def power_of_integer(g):
    a = g.pick(lambda v: v.type in INTS)
    # Of larger exponents XLA:CPU looks at six bits, and what it knows beforehand of negative ones differs.
    exponents = tensor(a.type, [g.draw(0, 9) for _ in range(a.count)], a.dims) if a.count else None
    g.emit("power", a.type, a.dims, [a, g.constant(a.type, a.dims, exponents)])


@emitter(3)
def unary_integer(g):
    a = g.pick(lambda v: v.type in INTS)
    opcode = g.one_of(["negate", "abs", "sign", "not", "popcnt", "count-leading-zeros"])
    if opcode in ("abs", "sign") and a.type not in SIGNED:
        raise NotNow
    if opcode == "count-leading-zeros" and a.type in SIGNED:
        raise NotNow  # where XLA knows the operands beforehand, it finds -32 of a negative number
    g.emit(opcode, a.type, a.dims, [a])


@emitter(2)
def logic(g):
    a = g.pick(lambda v: v.type == "pred")
    if g.chance(0.3):
        g.emit("not", "pred", a.dims, [a])
    else:
        g.emit(g.one_of(["and", "or", "xor"]), "pred", a.dims, [a, g.partner(a)])


@emitter(9)
def sum_or_product(g):
    a = g.pick(lambda v: is_real(v.type) or v.type in COMPLEXES)
    b = g.partner(a)
    opcode = g.one_of(["add", "subtract", "multiply"])
    e = epsilon(a.type)
    exact = a.exact and b.exact
    if opcode == "multiply":
        size = a.size * b.size if a.size and b.size else 0.0
        if a.type in COMPLEXES:
            size *= 2
            exact = False
        error = 0.0 if exact else a.error * b.size + b.error * a.size + a.error * b.error + 4 * e * size
        if math.isnan(error) or math.isinf(error):
            raise NotNow
        # Products of 16 bits are rounded before they are added to something.
        g.emit(opcode, a.type, a.dims, [a, b],
               **g.computed(a.type, size, error, [a, b], product=a.type in ("f32", "f64", "c64", "c128")))
    else:
        size = a.size + b.size
        exact = exact and not a.product and not b.product
        error = 0.0 if exact else a.error + b.error + 2 * e * size
        if math.isinf(error):
            raise NotNow
        g.emit(opcode, a.type, a.dims, [a, b], **g.computed(a.type, size, error, [a, b]))


@emitter(3)
def exact_division(g):
    a = g.pick(lambda v: is_real(v.type) and v.exact)
    b = g.partner(a, lambda v: v.exact)
    opcode = g.one_of(["divide", "remainder"])
    g.emit(opcode,
           a.type,
           a.dims, [a, b],
           size=math.inf if opcode == "divide" else b.size,
           moved=False,
           finite=False)


@emitter(5)
def order(g):
    a = g.pick(lambda v: is_real(v.type))
    b = g.partner(a)
    g.emit(g.one_of(["maximum", "minimum"]),
           a.type,
           a.dims, [a, b],
           size=max(a.size, b.size),
           error=max(a.error, b.error),
           moved=False,
           finite=a.finite and b.finite,
           product=a.product or b.product)


@emitter(4)
def unary_sign(g):
    a = g.pick(lambda v: is_real(v.type))
    opcode = g.one_of(["negate", "abs"])
    g.emit(opcode, a.type, a.dims, [a], **{**g.moved_from(a), "moved": False})


@emitter(4)
def rounding(g):
    a = g.pick(lambda v: is_real(v.type) and v.exact)
    opcode = g.one_of(["floor", "ceil", "round-nearest-afz", "round-nearest-even", "sign"])
    g.emit(opcode, a.type, a.dims, [a], size=a.size + 1, moved=False, finite=a.finite)


@emitter(4)
def square_root(g):
    a = g.pick(lambda v: is_real(v.type) and v.exact and (v.type in ("f32", "f64")))
    g.emit("sqrt", a.type, a.dims, [a], size=math.sqrt(a.size), moved=False, finite=False)


@emitter(7)
def function(g):
    """Functions that do not enlarge errors."""
    a = g.pick(lambda v: is_real(v.type))
    opcode = g.one_of(["tanh", "sine", "cosine", "logistic", "erf", "exponential", "exponential-minus-one"])
    e = 4 * epsilon(a.type)
    if opcode.startswith("exponential"):
        if a.size > 9:
            raise NotNow
        size = math.exp(a.size) + 1
        error = size * (a.error + e)
    else:
        if opcode in ("sine", "cosine") and a.size > 1e4:
            raise NotNow
        size, error = 1.0, 1.2 * a.error + e
    if error > 0.5 * size:
        raise NotNow
    g.emit(opcode, a.type, a.dims, [a], **g.computed(a.type, size, error, [a]))


@emitter(4)
def function_of_positive(g):
    a = g.pick(lambda v: is_real(v.type))
    if math.isinf(a.size):
        raise NotNow
    positive = g.emit("abs", a.type, a.dims, [a], **{**g.moved_from(a), "moved": False})
    half = g.scalar(a.type, 0.5)
    halves = g.emit("broadcast", a.type, a.dims, [half], "dimensions={}", **g.moved_from(half))
    error = 0.0 if a.exact and not a.product else a.error + 2 * epsilon(a.type) * (a.size + 1)
    moved = g.emit("add", a.type, a.dims, [positive, halves], **g.computed(a.type, a.size + 0.5, error, [a]))
    opcode = g.one_of(["log", "rsqrt", "cbrt", "log-plus-one", "sqrt", "power", "atan2"])
    slope, size = {
        "log": (2, 30), "rsqrt": (1.5, 1.5), "cbrt": (1, moved.size), "log-plus-one": (1, 30), "sqrt":
        (1, moved.size + 1), "power": (3, 3), "atan2": (4, 3.2)
    }[opcode]
    operands = [moved]
    if opcode == "power":
        exponent = g.scalar(a.type, g.one_of([0.5, -0.5, 0.25, 1.0]))
        operands.append(g.emit("broadcast", a.type, a.dims, [exponent], "dimensions={}", **g.moved_from(exponent)))
        size = moved.size + 2
    if opcode == "atan2":
        operands.append(halves)
    g.emit(opcode, a.type, a.dims, operands,
           **g.computed(a.type, size, slope * moved.error + 8 * epsilon(a.type) * size, [a]))


@emitter(3)
def any_function_of_exact(g):
    """Functions at any argument, poles too: nothing is done with what they give but looking at it."""
    a = g.pick(lambda v: is_real(v.type) and v.exact and v.size < 100)
    opcode = g.one_of(["log", "rsqrt", "log-plus-one", "tan", "cbrt", "atan2", "power"])
    operands = [a, g.partner(a, lambda v: v.exact and v.size < 100)] if opcode in ("atan2", "power") else [a]
    if opcode in ("rsqrt", "tan", "power"):
        # Unbounded: so that it can be bounded, to -8 … 8.
        wild = g.emit(opcode, a.type, a.dims, operands, size=math.inf, error=math.inf, moved=False, finite=False)
        g.values.remove(wild)
        low, high = g.scalar(a.type, -8), g.scalar(a.type, 8)
        g.emit("clamp",
               a.type,
               a.dims, [low, wild, high],
               size=8.0,
               error=64 * epsilon(a.type),
               moved=False,
               finite=False)
    else:
        g.emit(opcode,
               a.type,
               a.dims,
               operands,
               size=800.0,
               error=8 * epsilon(a.type) * 40,
               moved=False,
               finite=False)


@emitter(4)
def compare(g):
    kinds = lists(INTS, REALS, MOVED, ("pred", ), COMPLEXES)
    a = g.pick(lambda v: v.type in kinds and v.exact)
    b = g.partner(a, lambda v: v.exact)
    directions = ["EQ", "NE"] if a.type in COMPLEXES else ["EQ", "NE", "LT", "LE", "GT", "GE"]
    total = a.type in REALS and all(v.moved or v.finite for v in (a, b)) and g.chance(0.2)
    g.emit("compare", "pred", a.dims, [a, b],
           f"direction={g.one_of(directions)}" + (", type=TOTALORDER" if total else ""))


@emitter(2)
def is_finite(g):
    a = g.pick(lambda v: is_real(v.type) and v.exact)
    g.emit("is-finite", "pred", a.dims, [a])


@emitter(4)
def select(g):
    a = g.pick(lambda v: True)
    b = g.partner(a)
    choice = Value("", "pred", () if g.chance(0.3) else a.dims)
    g.emit("select", a.type, a.dims, [g.partner(choice), a, b], **g.moved_from(a, b))


@emitter(2)
def clamp(g):
    a = g.pick(lambda v: v.type in INTS or is_real(v.type))
    if g.chance(0.5):
        low, high = sorted(g.elements(a.type, (2, )).tolist())
        bounds = [g.scalar(a.type, low), g.scalar(a.type, high)]
    else:
        bounds = [g.partner(a), g.partner(a)]
    known = {} if a.type in INTS else {
        "size": max(v.size for v in (a, *bounds)), "error": max(
            v.error for v in (a, *bounds)), "moved": False, "finite": all(v.finite for v in (a, *bounds))
    }
    g.emit("clamp", a.type, a.dims, [bounds[0], a, bounds[1]], **known)


@emitter(7)
def convert(g):
    a = g.pick(lambda v: True)
    target = g.one_of([t for t in TYPES if t != a.type])
    if a.type in COMPLEXES and target in ("pred", ):
        raise NotNow  # ends XLA
    if a.error > 0:
        if target not in REALS + COMPLEXES or (a.type in COMPLEXES) != (target in COMPLEXES):
            raise NotNow
        if a.size > limit(target):
            raise NotNow
    if target in INTEGERS or target == "pred":
        g.emit("convert", target, a.dims, [a])
        return
    size = a.size if a.type in FLOATS + COMPLEXES else 1.0 if a.type == "pred" else 2.0**bits_of(a.type)
    if target in MOVED:
        g.emit("convert", target, a.dims, [a], moved=False, finite=False)
        return
    error = a.error and a.error + 2 * epsilon(target) * a.size
    finite = a.finite and size <= limit(target)
    g.emit("convert",
           target,
           a.dims, [a],
           size=size if size <= limit(target) else math.inf,
           error=error,
           moved=False,
           finite=finite,
           product=a.product)


@emitter(2)
def bitcast_convert(g):
    groups = [("s8", "u8", "f8e4m3fn", "f8e5m2"), ("s16", "u16", "f16", "bf16"), ("s32", "u32", "f32"),
              ("s64", "u64", "f64"), ("s4", "u4")]
    same = {n: group for group in groups for n in group}
    a = g.pick(lambda v: v.type in same and v.exact and (v.type in INTEGERS or v.moved or v.finite))
    if g.chance(0.5) or bits_of(a.type) < 8:
        target = g.one_of([t for t in same[a.type] if t != a.type])
        dims = a.dims
    else:
        # Not to 4 bits: where XLA:CPU fuses that with a transpose, elements are wrong.
        target = g.one_of([t for t in lists(*groups[:-1]) if bits_of(t) != bits_of(a.type)])
        if bits_of(target) < bits_of(a.type):
            dims = (*a.dims, bits_of(a.type) // bits_of(target))
        else:
            ratio = bits_of(target) // bits_of(a.type)
            if not a.dims or a.dims[-1] != ratio:
                raise NotNow
            dims = a.dims[:-1]
    if target in FLOATS:
        # Any bits: a subnormal number, which XLA:CPU flushes, must not be computed with.
        value = g.emit("bitcast-convert", target, dims, [a], finite=False)
        g.values.remove(value)
        g.emit("bitcast-convert", next(t for t in INTS if bits_of(t) == bits_of(target)), dims, [value])
    else:
        g.emit("bitcast-convert", target, dims, [a])


@emitter(2)
def reduce_precision(g):
    a = g.pick(lambda v: is_real(v.type) and v.exact)
    exponent, mantissa = g.one_of([(5, 10), (8, 7), (4, 3), (5, 2), (8, 23), (11, 52)])
    g.emit("reduce-precision",
           a.type,
           a.dims, [a],
           f"exponent_bits={exponent}, mantissa_bits={mantissa}",
           size=a.size * 2,
           moved=False,
           finite=False)


@emitter(1, within=False)
def stochastic_convert(g):
    a = g.pick(lambda v: v.type == "f32" and v.exact)
    draws = g.partner(Value("", "u32", a.dims))
    g.emit("stochastic-convert", g.one_of(["s8", "s16", "s32"]), a.dims, [a, draws])


@emitter(3)
def complex_parts(g):
    if g.chance(0.5):
        a = g.pick(lambda v: v.type in ("f32", "f64"))
        b = g.partner(a)
        g.emit("complex", "c64" if a.type == "f32" else "c128", a.dims, [a, b],
               **{**g.moved_from(a, b), "size": a.size + b.size})
    else:
        a = g.pick(lambda v: v.type in COMPLEXES)
        opcode = g.one_of(["real", "imag", "abs", "negate"])
        if opcode == "abs":
            g.emit(opcode, PART[a.type], a.dims, [a],
                   **g.computed(PART[a.type], a.size * 1.5, a.error * 2 + 4 * epsilon(a.type) * a.size, [a]))
        else:
            g.emit(opcode, a.type if opcode == "negate" else PART[a.type], a.dims, [a],
                   **{**g.moved_from(a), "moved": False})


@emitter(1)
def copies(g):
    a = g.pick(lambda v: True)
    g.emit("copy", a.type, a.dims, [a], **g.moved_from(a))


# ---- movement ----


@emitter(3)
def broadcast(g):
    a = g.pick(lambda v: len(v.dims) <= 2 and v.count <= 16)
    rank = min(3, len(a.dims) + g.draw(0, 2))
    places = sorted(g.rng.permutation(rank)[:len(a.dims)].tolist())
    dims = [g.draw(1, 4) for _ in range(rank)]
    for place, size in zip(places, a.dims):
        dims[place] = size
    g.emit("broadcast", a.type, dims, [a], f"dimensions={braces(places)}", **g.moved_from(a))


@emitter(3, within="calls")
def reshape(g):
    a = g.pick(lambda v: v.count > 0)
    factors, rest = [], a.count
    while rest > 1 and len(factors) < 2:
        factor = g.one_of([f for f in range(1, rest + 1) if rest % f == 0])
        factors.append(factor)
        rest //= factor
    dims = factors + [rest] if factors or rest > 1 or g.chance(0.5) else []
    g.emit("reshape", a.type, dims, [a], **g.moved_from(a))


@emitter(3, within="calls")
def transpose(g):
    a = g.pick(lambda v: len(v.dims) >= 2)
    permutation = g.rng.permutation(len(a.dims)).tolist()
    g.emit("transpose", a.type, [a.dims[p] for p in permutation], [a], f"dimensions={braces(permutation)}",
           **g.moved_from(a))


@emitter(2)
def reverse(g):
    a = g.pick(lambda v: len(v.dims) >= 1)
    dimensions = sorted(d for d in range(len(a.dims)) if g.chance(0.6))
    g.emit("reverse", a.type, a.dims, [a], f"dimensions={braces(dimensions)}", **g.moved_from(a))


@emitter(3)
def slice_(g):
    a = g.pick(lambda v: len(v.dims) >= 1)
    ranges, dims = [], []
    for size in a.dims:
        start = g.draw(0, max(size - 1, 0))
        stop = g.draw(start if g.chance(0.05) else min(start + 1, size), size)
        stride = g.one_of([1, 1, 1, 2, 3])
        ranges.append(f"[{start}:{stop}:{stride}]")
        dims.append(-(-(stop - start) // stride))
    g.emit("slice", a.type, dims, [a], f"slice={{{', '.join(ranges)}}}", **g.moved_from(a))


@emitter(3)
def pad(g):
    a = g.pick(lambda v: 1 <= len(v.dims) <= 2 and v.count <= 30)
    value = g.partner(Value("", a.type, ()))
    parts, dims = [], []
    for size in a.dims:
        low, high, interior = g.draw(-2, 2), g.draw(-2, 2), g.one_of([0, 0, 0, 1, 2])
        result = size + max(size - 1, 0) * interior + low + high
        if result < 0:
            raise NotNow
        parts.append(f"{low}_{high}_{interior}")
        dims.append(result)
    g.emit("pad", a.type, dims, [a, value], f"padding={'x'.join(parts)}", **g.moved_from(a, value))


@emitter(3, within="calls")
def concatenate(g):
    a = g.pick(lambda v: len(v.dims) >= 1 and v.count <= 40)
    dimension = g.draw(0, len(a.dims) - 1)
    others = [g.partner(a)]
    if g.chance(0.4):
        dims = list(a.dims)
        dims[dimension] = g.draw(0, 2)
        others.append(g.partner(Value("", a.type, tuple(dims))))
    dims = list(a.dims)
    dims[dimension] = sum(v.dims[dimension] for v in (a, *others))
    g.emit("concatenate", a.type, dims, [a, *others], f"dimensions={{{dimension}}}", **g.moved_from(a, *others))


@emitter(2)
def iota(g):
    name, dims = g.one_of(["s32", "s32", "f32", "s8", "u8", "s64", "bf16", "f64", "u16"]), g.dims()
    if not dims:
        raise NotNow
    g.emit("iota", name, dims, [], f"iota_dimension={g.draw(0, len(dims) - 1)}", text="", size=5.0)


@emitter(4, within=False)
def dynamic_slice(g):
    a = g.pick(lambda v: len(v.dims) >= 1)
    dims = [g.draw(0 if g.chance(0.03) else min(1, size), size) for size in a.dims]
    starts = g.same_index_type(len(dims), a.dims)
    g.emit("dynamic-slice", a.type, dims, [a, *starts], f"dynamic_slice_sizes={braces(dims)}", **g.moved_from(a))


@emitter(4, within=False)
def dynamic_update_slice(g):
    a = g.pick(lambda v: len(v.dims) >= 1)
    update = g.partner(Value("", a.type, tuple(g.draw(min(1, size), size) for size in a.dims)))
    starts = g.same_index_type(len(a.dims), a.dims)
    g.emit("dynamic-update-slice", a.type, a.dims, [a, update, *starts], **g.moved_from(a, update))


@emitter(5, within=False)
def gather(g):
    a = g.pick(lambda v: 1 <= len(v.dims) <= 3 and v.count > 0)
    rank = len(a.dims)
    indexed = sorted(d for d in range(rank) if g.chance(0.6)) or [g.draw(0, rank - 1)]
    start_map = g.rng.permutation(indexed).tolist()
    sizes = [
        g.draw(1, a.dims[d]) if d in indexed and g.chance(0.5) else 1 if d in indexed else a.dims[d]
        for d in range(rank)
    ]
    collapsed = [d for d in range(rank) if sizes[d] == 1 and d in indexed and g.chance(0.7)]
    batch = [g.draw(1, 3) for _ in range(g.draw(0, 2))]
    vector_dim = g.draw(0, len(batch))
    index_dims = (*batch[:vector_dim], len(start_map), *batch[vector_dim:])
    if len(start_map) == 1 and g.chance(0.5):
        index_dims, vector_dim = tuple(batch), len(batch)
    indices = indices_of(g, index_dims)
    window = [sizes[d] for d in range(rank) if d not in collapsed]
    result_rank = len(batch) + len(window)
    offset = sorted(g.rng.permutation(result_rank)[:len(window)].tolist())
    dims, windows, batches = [], iter(window), iter(batch)
    for d in range(result_rank):
        dims.append(next(windows) if d in offset else next(batches))
    g.emit(
        "gather", a.type, dims, [a, indices],
        f"offset_dims={braces(offset)}, collapsed_slice_dims={braces(collapsed)}, start_index_map={braces(start_map)}, index_vector_dim={vector_dim}, "
        f"slice_sizes={braces(sizes)}", **g.moved_from(a))


def indices_of(g, dims):
    name = g.one_of(["s32", "s32", "s64", "u8", "s8", "u32"])
    found = [v for v in g.values if v.type == name and v.dims == tuple(dims)]
    if found and g.chance(0.3):
        return g.one_of(found)
    drawn = g.rng.integers(max(least(name), -2), 6, math.prod(dims)).tolist()
    return g.constant(name, dims, tensor(name, drawn, dims) if drawn else np.zeros(dims, DTYPES[name]))


@emitter(5, within=False)
def scatter(g):
    a = g.pick(lambda v: 1 <= len(v.dims) <= 3 and v.count > 0 and (v.type in INTS or is_real(v.type) or v.type ==
                                                                    "pred"))
    rank = len(a.dims)
    indexed = sorted(d for d in range(rank) if g.chance(0.6)) or [g.draw(0, rank - 1)]
    to_operand = g.rng.permutation(indexed).tolist()
    inserted = [d for d in indexed if g.chance(0.6)]
    window = [g.draw(1, a.dims[d]) if d in indexed else a.dims[d] for d in range(rank) if d not in inserted]
    batch = [g.draw(1, 3) for _ in range(g.draw(0, 2))]
    vector_dim = g.draw(0, len(batch))
    index_dims = (*batch[:vector_dim], len(to_operand), *batch[vector_dim:])
    indices = indices_of(g, index_dims)
    update_rank = len(batch) + len(window)
    window_dims = sorted(g.rng.permutation(update_rank)[:len(window)].tolist())
    dims, windows, batches = [], iter(window), iter(batch)
    for d in range(update_rank):
        dims.append(next(windows) if d in window_dims else next(batches))
    updates = g.partner(Value("", a.type, tuple(dims)))
    opcode = g.one_of(["maximum", "minimum"] + (["add"] if a.type != "pred" else ["or"]) +
                      (["multiply", "xor", "subtract"] if a.type in INTS else []))
    if a.type == "pred":
        opcode = g.one_of(["and", "or", "xor"])
    known = {}
    if is_real(a.type):
        # Any number of updates may go to one element.
        many = updates.count // max(1, math.prod(window)) + 1
        if opcode == "add":
            size = a.size + many * updates.size
            error = a.error + many * updates.error + many * 2 * epsilon(a.type) * size
        else:
            size, error = max(a.size, updates.size), max(a.error, updates.error)
        if math.isinf(size) and opcode == "add":
            raise NotNow
        known = g.computed(a.type, size, error, [a, updates])
    label = g.combiner(opcode, a.type)
    g.emit(
        "scatter", a.type, a.dims, [a, indices, updates],
        f"update_window_dims={braces(window_dims)}, inserted_window_dims={braces(inserted)}, scatter_dims_to_operand_dims={braces(to_operand)}, "
        f"index_vector_dim={vector_dim}, to_apply={label}", [label], **known)


# ---- reductions ----


def reducer(g, a, float_opcodes=("add", "maximum", "minimum")):
    if a.type in INTS:
        return g.one_of(["add", "multiply", "maximum", "minimum", "and", "or", "xor"])
    if a.type == "pred":
        return g.one_of(["and", "or", "xor"])
    if is_real(a.type):
        return g.one_of(list(float_opcodes))
    if a.type in COMPLEXES:
        return "add"
    raise NotNow


def reduced(g, a, initial, opcode, many):
    """What is known of `many` elements combined."""
    if a.type in INTS or a.type == "pred":
        return {}
    if opcode != "add":
        return {
            "size": max(a.size, initial.size), "error": max(a.error, initial.error), "moved": False, "finite":
            a.finite and initial.finite
        }
    size = many * a.size + initial.size
    if math.isinf(size):
        raise NotNow
    error = many * a.error + initial.error + (many + 1) * 2 * epsilon(a.type) * size
    return g.computed(a.type, size, error, [a, initial])


def reducible(v):
    return v.type in INTS or is_real(v.type) or v.type == "pred" or v.type in COMPLEXES


@emitter(6)
def reduce(g):
    a = g.pick(lambda v: reducible(v) and len(v.dims) >= 1)
    opcode = reducer(g, a)
    dimensions = sorted(d for d in range(len(a.dims)) if g.chance(0.5)) or [g.draw(0, len(a.dims) - 1)]
    initial = g.partner(Value("", a.type, ()))
    many = math.prod(a.dims[d] for d in dimensions)
    known = reduced(g, a, initial, opcode, many)
    label = g.combiner(opcode, a.type)
    g.emit("reduce", a.type, [s for d, s in enumerate(a.dims) if d not in dimensions], [a, initial],
           f"dimensions={braces(dimensions)}, to_apply={label}", [label], **known)


@emitter(3, within=False)
def reduce_variadic(g):
    """The largest element and where it is."""
    a = g.pick(lambda v: (v.type in INTS or (is_real(v.type) and v.exact and v.finite)) and len(v.dims) >= 1)
    dimension = g.draw(0, len(a.dims) - 1)
    places = g.emit("iota", "s32", a.dims, [], f"iota_dimension={dimension}", text="", size=5.0)
    first = g.scalar(a.type, g.elements(a.type, ()).tolist())
    second = g.scalar("s32", g.draw(-1, 3))
    label, value, place, truth = f"argmax_{a.type}", shape(a.type, ()), "s32[]", "pred[]"
    g.scalar_computation(label, [("a", value), ("i", place), ("b", value), ("j", place)], [
        Instruction("g", truth, "compare", ["a", "b"], "direction=GT"),
        Instruction("e", truth, "compare", ["a", "b"], "direction=EQ"),
        Instruction("l", truth, "compare", ["i", "j"], "direction=LT"),
        Instruction("t", truth, "and", ["e", "l"]),
        Instruction("o", truth, "or", ["g", "t"]),
        Instruction("x", value, "select", ["o", "a", "b"]),
        Instruction("y", place, "select", ["o", "i", "j"]),
        Instruction("z", f"({value}, {place})", "tuple", ["x", "y"])
    ], "z")
    dims = [s for d, s in enumerate(a.dims) if d != dimension]
    g.emit_tuple("reduce", [(a.type, dims, {**g.moved_from(a), "size": max(a.size, first.size), "moved": False}),
                            ("s32", dims, {})], [a, places, first, second],
                 f"dimensions={{{dimension}}}, to_apply={label}", [label])


def draw_window(g, sizes, dilated_base=True):
    """The text of a window, the result's sizes and how many elements it has."""
    fields = {"size": [], "stride": [], "pad": [], "lhs_dilate": [], "rhs_dilate": []}
    dims = []
    for size in sizes:
        window, stride, low, high = g.draw(1, 3), g.draw(1, 3), g.draw(-1, 2), g.draw(-1, 2)
        base = g.one_of([1, 1, 1, 2]) if dilated_base else 1
        dilation = g.one_of([1, 1, 1, 2])
        padded = (max(size - 1, 0) * base + (1 if size else 0)) + low + high
        if padded < 0:
            raise NotNow
        reach = (window - 1) * dilation + 1
        dims.append(0 if padded < reach else (padded - reach) // stride + 1)
        for key, x in zip(fields, (window, stride, f"{low}_{high}", base, dilation)):
            fields[key].append(str(x))
    return "window={" + " ".join(f"{k}={'x'.join(v)}"
                                 for k, v in fields.items()) + "}", dims, [int(w) for w in fields["size"]]


@emitter(4, within=False)
def reduce_window(g):
    a = g.pick(lambda v: reducible(v) and 1 <= len(v.dims) <= 3)
    opcode = reducer(g, a)
    text, dims, sizes = draw_window(g, a.dims)
    initial = g.partner(Value("", a.type, ()))
    known = reduced(g, a, initial, opcode, math.prod(sizes))
    label = g.combiner(opcode, a.type)
    g.emit("reduce-window", a.type, dims, [a, initial], f"{text}, to_apply={label}", [label], **known)


@emitter(2, within=False)
def select_and_scatter(g):
    a = g.pick(lambda v: (v.type in INTS or (is_real(v.type) and v.exact and v.finite)) and 1 <= len(v.dims) <= 2
               and min(v.dims) >= 1)
    size = [g.draw(1, min(3, s)) for s in a.dims]
    stride = [g.draw(1, 2) for _ in a.dims]
    dims = [(s - w) // t + 1 for s, w, t in zip(a.dims, size, stride)]
    source = g.partner(Value("", a.type, tuple(dims)))
    initial = g.partner(Value("", a.type, ()))
    known = reduced(g, source, initial, "add", math.prod(size))
    scalar = shape(a.type, ())
    choose = g.scalar_computation(f"ge_{a.type}", [("a", scalar), ("b", scalar)],
                                  [Instruction("c", "pred[]", "compare", ["a", "b"], "direction=GE")], "c")
    label = g.combiner("add", a.type)
    window = f"window={{size={'x'.join(map(str, size))} stride={'x'.join(map(str, stride))}}}"
    g.emit("select-and-scatter", a.type, a.dims, [a, source, initial],
           f"{window}, select={choose}, scatter={label}", [choose, label], **known)


@emitter(1, within=False)
def scan(g):
    a = g.pick(lambda v: v.type in INTS and len(v.dims) == 1)
    scalar = shape(a.type, ())
    initial = g.partner(Value("", a.type, ()))
    label = g.scalar_computation(f"running_{a.type}", [("a", scalar), ("b", scalar)], [
        Instruction("c", scalar, "add", ["a", "b"]),
        Instruction("d", f"({scalar}, {scalar})", "tuple", ["c", "c"])
    ], "d")
    reverse_text = ", is_reverse=true" if g.chance(0.5) else ""
    g.emit_tuple("scan", [(a.type, a.dims, {}), (a.type, (), {})], [a, initial],
                 f"dimensions={{0}}{reverse_text}, num_carries=1, to_apply={label}", [label])


@emitter(1)
def map_(g):
    a = g.pick(lambda v: v.type in INTS)
    b = g.partner(a)
    scalar = shape(a.type, ())
    label = g.scalar_computation(
        f"mapped_{a.type}", [("a", scalar), ("b", scalar)],
        [Instruction("c", scalar, "multiply", ["a", "b"]),
         Instruction("d", scalar, "subtract", ["c", "a"])], "d")
    g.emit("map", a.type, a.dims, [a, b], f"dimensions={braces(range(len(a.dims)))}, to_apply={label}", [label])


# ---- sorting ----


def sortable(v):
    return (v.type in INTS or v.type in MOVED[2:]
            or is_real(v.type)) and v.exact and (v.type in INTS or v.moved or v.finite) and len(v.dims) >= 1


@emitter(4, within=False)
def sort(g):
    a = g.pick(sortable)
    dimension = g.draw(0, len(a.dims) - 1)
    scalar = shape(a.type, ())
    direction = g.one_of(["LT", "GT"])
    total = ", type=TOTALORDER" if a.type in FLOATS else ""
    others = [v for v in g.values if v.dims == a.dims and v is not a]
    if others and g.chance(0.6):
        b = g.one_of(others)
        other = shape(b.type, ())
        label = g.scalar_computation(
            f"{direction.lower()}_{a.type}_{b.type}", [("a", scalar), ("b", scalar), ("c", other), ("d", other)],
            [Instruction("e", "pred[]", "compare", ["a", "b"], f"direction={direction}{total}")], "e")
        g.emit_tuple("sort", [(a.type, a.dims, g.moved_from(a)), (b.type, a.dims, g.moved_from(b))], [a, b],
                     f"dimensions={{{dimension}}}, is_stable=true, to_apply={label}", [label])
    else:
        label = g.scalar_computation(
            f"{direction.lower()}_{a.type}", [("a", scalar), ("b", scalar)],
            [Instruction("e", "pred[]", "compare", ["a", "b"], f"direction={direction}{total}")], "e")
        g.emit("sort", a.type, a.dims, [a],
               f"dimensions={{{dimension}}}, is_stable={g.one_of(['true', 'false'])}, to_apply={label}", [label],
               **g.moved_from(a))


@emitter(2, within=False)
def topk(g):
    a = g.pick(lambda v: v.type in ("f32", "s32", "bf16", "f64", "s8") and sortable(v) and 1 <= len(v.dims) <= 2 and
               v.dims[-1] >= 1)
    k = g.draw(1, a.dims[-1])
    dims = (*a.dims[:-1], k)
    g.emit_tuple("topk", [(a.type, dims, g.moved_from(a)), ("s32", dims, {})], [a], f"k={k}, largest=true")


# ---- contractions ----


def summed(g, a, b, many, name=None):
    """What is known of a sum of `many` products."""
    if a.type in INTS:
        return {}
    size = many * a.size * b.size if a.size and b.size else 0.0
    if a.type in COMPLEXES:
        size *= 2
    if math.isinf(size) or math.isnan(size):
        raise NotNow
    error = many * (a.error * b.size + b.error * a.size + a.error * b.error) + (many + 2) * 2 * epsilon(
        name or a.type) * size
    return g.computed(name or a.type, size, error, [a, b])


@emitter(5, within=False)
def dot(g):
    a = g.pick(lambda v: (v.type in INTS or is_real(v.type) or v.type in COMPLEXES) and 1 <= len(v.dims) <= 3 and v.
               count <= 60)
    contracting = g.draw(0, len(a.dims) - 1)
    batch = [d for d in range(len(a.dims)) if d != contracting and g.chance(0.3)][:1]
    free = [g.draw(1, 3) for _ in range(g.draw(0, 1))]
    parts = [("b", a.dims[d]) for d in batch] + [("c", a.dims[contracting])] + [("f", s) for s in free]
    order_ = g.rng.permutation(len(parts)).tolist()
    b = g.partner(Value("", a.type, tuple(parts[o][1] for o in order_)))
    kinds = [parts[o][0] for o in order_]
    dims = [a.dims[d]
            for d in batch] + [s for d, s in enumerate(a.dims) if d not in batch and d != contracting] + free
    text = f"lhs_contracting_dims={{{contracting}}}, rhs_contracting_dims={{{kinds.index('c')}}}"
    if batch:
        text = f"lhs_batch_dims={braces(batch)}, rhs_batch_dims={{{kinds.index('b')}}}, " + text
    g.emit("dot", a.type, dims, [a, b], text, **summed(g, a, b, a.dims[contracting]))


@emitter(3, within=False)
def convolution(g):
    # Not of s8: where XLA knows the operands beforehand, its sums do not wrap.
    a = g.pick(lambda v: v.type in ("f32", "f64", "s32", "bf16", "f16") and len(v.dims) == 3 and min(v.dims)
               >= 1)
    left = "".join(g.rng.permutation(["b", "f", "0"]).tolist())
    right = "".join(g.rng.permutation(["i", "o", "0"]).tolist())
    out = "".join(g.rng.permutation(["b", "f", "0"]).tolist())
    features, batches, size = (a.dims[left.index(c)] for c in "fb0")
    groups = g.one_of([x for x in range(1, features + 1) if features % x == 0])
    if groups > 1 and not a.finite:
        raise NotNow  # XLA:CPU multiplies what belongs to other groups by 0, and nan stays nan
    batch_groups = g.one_of([x for x in range(1, batches + 1)
                             if batches % x == 0]) if groups == 1 and g.chance(0.3) else 1
    outputs = max(groups, batch_groups) * g.draw(1, 2)
    text, dims, sizes = draw_window(g, [size])
    if g.chance(0.3):
        text = text[:-1] + " rhs_reversal=1}"
    kernel = {"i": features // groups, "o": outputs, "0": sizes[0]}
    b = g.partner(Value("", a.type, tuple(kernel[c] for c in right)))
    result = {"b": batches // batch_groups, "f": outputs, "0": dims[0]}
    text += f", dim_labels={left}_{right}->{out}" + (f", feature_group_count={groups}" if groups > 1 else "") + (
        f", batch_group_count={batch_groups}" if batch_groups > 1 else "")
    g.emit("convolution", a.type, [result[c] for c in out], [a, b], text, **summed(g, a, b, sizes[0] * features))


@emitter(2, within=False)
def fft(g):
    a = g.pick(lambda v: v.type in ("c64", "c128", "f32", "f64") and 1 <= len(v.dims) <= 3 and v.dims[-1] >= 1 and v
               .finite)
    size = a.dims[-1]
    if a.type in COMPLEXES:
        kind = g.one_of(["FFT", "IFFT"])
        name, dims = a.type, a.dims
    else:
        kind, name, dims = "RFFT", "c64" if a.type == "f32" else "c128", (*a.dims[:-1], size // 2 + 1)
    known = g.computed(name, 2 * size * a.size, 2 * size * a.error + 32 * epsilon(name) * size * a.size, [a])
    g.emit("fft", name, dims, [a], f"fft_type={kind}, fft_length={{{size}}}", **known)


@emitter(2, within=False)
def linear_algebra(g):
    n, name = g.draw(1, 4), g.one_of(["f32", "f64"])
    a = g.elements(name, (n, n))
    matrix = g.constant(name, (n, n), (a @ a.T + 4 * np.eye(n)).astype(DTYPES[name]))
    lower = g.one_of(["true", "false"])
    factor = g.emit("cholesky",
                    name, (n, n), [matrix],
                    f"lower={lower}",
                    size=20.0,
                    error=1e3 * epsilon(name),
                    moved=False)
    right = g.partner(Value("", name, (n, g.draw(1, 3))), lambda v: v.finite and v.size < 100)
    g.emit(
        "triangular-solve",
        name,
        right.dims, [factor, right],
        f"left_side=true, lower={lower}, unit_diagonal=false, transpose_a={g.one_of(['NO_TRANSPOSE', 'TRANSPOSE'])}",
        size=1e4 * (right.size + 1),
        error=1e6 * epsilon(name) * (right.size + 1) + 1e3 * right.error,
        moved=False,
        finite=right.finite)


@emitter(1, within=False)
def batch_norm(g):
    a = g.pick(lambda v: v.type in ("f32", "f64") and 2 <= len(v.dims) <= 3 and min(v.dims) >= 1 and v.finite and v.
               size < 100 and v.exact)
    index = g.draw(0, len(a.dims) - 1)
    features = a.dims[index]
    scale, offset, mean = (g.constant(a.type, (features, )) for _ in range(3))
    variance = g.constant(a.type, (features, ), g.elements(a.type, (features, ), low=0.5, high=2.0))
    attributes = f"epsilon=0.5, feature_index={index}"
    error = 1e4 * epsilon(a.type) * (a.size + 1)**2
    known = {"size": 20 * (a.size + 10), "error": error, "moved": False}
    if g.chance(0.5):
        g.emit("batch-norm-inference", a.type, a.dims, [a, scale, offset, mean, variance], attributes, **known)
    else:
        small = {"size": (a.size + 1)**2 * 2, "error": error, "moved": False}
        g.emit_tuple("batch-norm-training", [(a.type, a.dims, known), (a.type, (features, ), small),
                                             (a.type, (features, ), small)], [a, scale, offset], attributes)


@emitter(1, within=False)
def random_bits(g):
    algorithm = g.one_of(["rng_three_fry", "rng_philox", "rng_default"])
    n = 2 if algorithm == "rng_three_fry" else g.one_of([2, 3])
    state = g.constant("u64", (n, ), tensor("u64", g.rng.integers(0, 2**63, n).tolist()))
    g.emit_tuple("rng-bit-generator", [("u64", (n, ), {}), (g.one_of(["u32", "u64", "u32", "u8"]), g.dims(), {})],
                 [state], f"algorithm={algorithm}")


# ---- control ----


def make_computation(g, label, operands, count, keeps=None, fused=False):
    """A computation of arrays with these operands as its parameters, of about `count` instructions, all of them used. Gives
    the operands that are left, and its result. `keeps` chooses the result; then all of the operands are left."""
    inner = Generator(0)
    inner.rng, inner.within, inner.computations, inner.counter = g.rng, True, g.computations, g.counter
    for i, operand in enumerate(operands):
        value = dataclasses.replace(operand, name=f"q{inner.counter}")
        inner.append(value.name, shape(value.type, value.dims), "parameter", [], text=str(i))
        inner.values.append(value)
    choices = [(w, f) for w, within, f in EMITTERS if within is True or (within and not fused)]
    made = 0
    for _ in range(10 * count):
        if made >= count:
            break
        made += attempt(inner, choices)
    g.counter = inner.counter
    if not made:
        raise NotNow
    result = keeps(inner) if keeps is not None else inner.values[-1]
    computation = Computation(label, inner.instructions, result.name).used(keep_parameters=keeps is not None)
    left = []
    for parameter in computation.parameters():
        left.append(operands[int(parameter.literal)])
        parameter.literal = str(len(left) - 1)
    if not left:
        raise NotNow
    g.computations.append(computation)
    return left, result


def attempt(g, choices):
    """Tries one instruction; whether it was made. What a failed try left behind is taken back."""
    weights = np.array([w for w, _ in choices], float)
    emit = choices[int(g.rng.choice(len(choices), p=weights / weights.sum()))][1]
    marks = len(g.instructions), len(g.values), len(g.arguments), len(g.computations)
    removed = list(g.values)
    try:
        emit(g)
        return True
    except NotNow:
        del g.instructions[marks[0]:]
        g.values[:] = removed
        del g.arguments[marks[2]:]
        del g.computations[marks[3]:]
        return False


@emitter(6, within=False)
def call_or_fusion(g):
    operands = list({id(v): v for v in (g.pick(lambda v: True) for _ in range(g.draw(1, 3)))}.values())
    fused = g.chance(0.7)
    label = f"{'fused' if fused else 'called'}_{g.counter}"
    left, result = make_computation(g, label, operands, g.draw(2, 5), fused=fused)
    known = {f: getattr(result, f) for f in ("size", "error", "moved", "finite", "product")}
    if fused:
        g.emit("fusion", result.type, result.dims, left, f"kind=kLoop, calls={label}", [label], **known)
    else:
        g.emit("call", result.type, result.dims, left, f"to_apply={label}", [label], **known)


@emitter(3, within=False)
def conditional(g):
    a = g.pick(lambda v: True)
    count = g.draw(1, 3)
    labels, results = [], []
    for _ in range(count):
        label = f"branch_{g.counter}"

        def keeps(inner):
            found = [v for v in inner.values if v.type == a.type and v.dims == a.dims]
            return found[-1]

        _, result = make_computation(g, label, [a], g.draw(1, 3), keeps)
        labels.append(label)
        results.append(result)
    known = g.moved_from(*results)
    if count == 2 and g.chance(0.6):
        choice = g.partner(Value("", "pred", ()))
        text = f"true_computation={labels[0]}, false_computation={labels[1]}"
    else:
        choice = g.scalar("s32", g.draw(-1, count)) if g.chance(0.5) else g.partner(Value("", "s32", ()))
        text = f"branch_computations={{{', '.join(labels)}}}"
    g.emit("conditional", a.type, a.dims, [choice] + [a] * count, text, labels, **known)


@emitter(4, within=False)
def loop(g):
    """A counter, an array that each turn changes, and one that it reads."""
    a = g.pick(lambda v: v.type in INTS or is_real(v.type) or v.type == "pred" or v.type in MOVED)
    b = g.partner(a)
    turns, label = g.draw(0, 4), f"loop_{g.counter}"
    if a.type in INTS:
        opcode = g.one_of(["add", "multiply", "xor", "subtract", "maximum"])
        known = {}
    elif is_real(a.type):
        opcode = g.one_of(["maximum", "minimum", "add"])
        if opcode == "add":
            size = a.size + turns * b.size
            if math.isinf(size):
                raise NotNow
            exact = a.exact and b.exact and not a.product and not b.product
            error = 0.0 if exact else a.error + turns * b.error + turns * 2 * epsilon(a.type) * size
            known = g.computed(a.type, size, error, [a, b])
        else:
            known = {
                "size": max(a.size, b.size), "error": max(a.error, b.error), "moved": False, "finite": a.finite
                and b.finite
            }
    else:
        opcode, known = None, g.moved_from(a, b)
    array = shape(a.type, a.dims)
    state = f"(s32[], {array}, {array})"
    take = [
        Instruction("i", "s32[]", "get-tuple-element", ["s"], "index=0"),
        Instruction("x", array, "get-tuple-element", ["s"], "index=1"),
        Instruction("y", array, "get-tuple-element", ["s"], "index=2")
    ]
    head = [Instruction("s", state, "parameter", [], "", "0")]
    body = head + take + [
        Instruction("one", "s32[]", "constant", [], "", "1"),
        Instruction("j", "s32[]", "add", ["i", "one"])
    ]
    if opcode:
        body.append(Instruction("z", array, opcode, ["x", "y"]))
        changed, kept = "z", "y"
    else:
        changed, kept = "y", "x"  # they change places
    if a.dims and g.chance(0.5):
        body.append(Instruction("w", array, "reverse", [changed], "dimensions={0}"))
        changed = "w"
    body.append(Instruction("t", state, "tuple", ["j", changed, kept]))
    condition = head + take[:1] + [
        Instruction("n", "s32[]", "constant", [], "", str(turns)),
        Instruction("c", "pred[]", "compare", ["i", "n"], "direction=LT")
    ]
    g.computations.append(Computation(f"{label}_body", body, "t"))
    g.computations.append(Computation(f"{label}_condition", condition, "c"))
    start = g.scalar("s32", 0)
    whole = f"t{g.counter}"
    g.append(whole, state, "tuple", [start, a, b])
    after = f"t{g.counter}"
    g.append(after, state, "while", [whole], f"condition={label}_condition, body={label}_body",
             [f"{label}_condition", f"{label}_body"])
    g.emit("get-tuple-element", "s32", (), [after], "index=0")
    g.emit("get-tuple-element", a.type, a.dims, [after], "index=1", **known)
    g.emit("get-tuple-element", a.type, a.dims, [after], "index=2", **(known if not opcode else g.moved_from(b)))


@emitter(1, within=False)
def barrier(g):
    a, b = g.pick(lambda v: True), g.pick(lambda v: True)
    whole, after = f"t{g.counter}", f"t{g.counter + 1}"
    state = f"({shape(a.type, a.dims)}, {shape(b.type, b.dims)})"
    g.append(whole, state, "tuple", [a, b])
    g.append(after, state, "opt-barrier", [whole])
    g.emit("get-tuple-element", a.type, a.dims, [after], "index=0", **g.moved_from(a))
    g.emit("get-tuple-element", b.type, b.dims, [after], "index=1", **g.moved_from(b))


@emitter(1, within=False)
def one_replica(g):
    a = g.pick(lambda v: v.type in INTS or v.type in ("f32", "f64", "bf16"))
    opcode = g.one_of(["all-reduce", "collective-permute", "all-gather", "partition-id", "get-dimension-size"])
    if opcode == "partition-id":
        g.emit(g.one_of(["partition-id", "replica-id"]), "u32", (), [], text="")
    elif opcode == "get-dimension-size":
        if not a.dims:
            raise NotNow
        g.emit(opcode, "s32", (), [a], f"dimensions={{{g.draw(0, len(a.dims) - 1)}}}")
    elif opcode == "all-reduce":
        label = g.combiner("add", a.type)
        g.emit(opcode, a.type, a.dims, [a], f"replica_groups={{}}, to_apply={label}", [label], **g.moved_from(a))
    elif opcode == "all-gather":
        if not a.dims:
            raise NotNow
        g.emit(opcode, a.type, a.dims, [a], "replica_groups={{0}}, dimensions={0}", **g.moved_from(a))
    else:
        g.emit(opcode, a.type, a.dims, [a], "source_target_pairs={{0,0}}", **g.moved_from(a))


# ---- modules ----

COUNT = 20


@dataclasses.dataclass
class RandomModule:
    module: Module
    arguments: list
    errors: dict  # by name of an instruction that gives an array of floats: how far it may be from the right value


def generate(seed):
    """The module of a seed."""
    g = Generator(seed)
    types = [g.one_of(TYPES) for _ in range(2)] + [g.one_of(["f32", "s32", "f64", "bf16", "f32"])]
    dims = [g.dims() for _ in range(2)]
    special = g.chance(0.25)
    for name in types:
        for _ in range(g.draw(1, 2)):
            g.parameter(name, g.one_of(dims), special and g.chance(0.6))
    choices = [(w, f) for w, _, f in EMITTERS]
    made = 0
    for _ in range(20 * COUNT):
        if made >= COUNT:
            break
        made += attempt(g, choices)
    results = [v.name for v in g.values if v.name not in g.reads and not v.name.startswith("k")]
    results = (results or [g.values[-1].name])[-12:]
    shapes = {i.name: i.shape for i in g.instructions}
    root = Instruction("results", "(" + ", ".join(shapes[n] for n in results) + ")", "tuple", results)
    entry = Computation("main", g.instructions + [root], root.name)
    # Values that were set aside are not to be looked at: nothing bounds their errors.
    errors = {v.name: v.error for v in g.values}
    return RandomModule(Module(g.name, g.computations, entry).used(), g.arguments, errors)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    made = generate(int(sys.argv[1]))
    print(made.module.text())
    for name in made.module.entry.find(made.module.entry.root).operands:
        if made.errors[name]:
            print(f"{name} within {made.errors[name]:.2g}")


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main()
