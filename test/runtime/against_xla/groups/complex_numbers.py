"""Arithmetic and functions of complex numbers."""

from building import Group, identifier, ulps
from tensors import PART, tensor

nan, inf = float("nan"), float("inf")
c = complex
# Functions of these; away from the points where a function loses all its digits.
NUMBERS = [
    c(0, 0),
    c(1, 0),
    c(0, 1),
    c(-1, 0),
    c(0, -1),
    c(0.5, 0.25),
    c(-1.5, 2),
    c(3, -4),
    c(-0.7, -1.3),
    c(0.1, -2),
    c(2, 0.001)
]
PAIRS = [(c(1, 2), c(3, -4)), (c(0, 0), c(1, 1)), (c(-1.5, 0.5), c(0, 2)), (c(2, 0), c(-3, 0)),
         (c(0.5, -0.25), c(0.5, -0.25)), (c(7, 1), c(-1, 7)), (c(1e3, -2), c(2e-3, 4))]
FUNCTIONS = ("exponential", "exponential-minus-one", "log", "log-plus-one", "sqrt", "rsqrt", "tanh", "tan", "sine",
             "cosine", "logistic", "sign", "acos", "asin", "atanh", "acosh", "asinh", "sinh", "cosh")


def programs():
    group = Group("complex_numbers")
    for name in ("c64", "c128"):
        part = PART[name]
        a, b = (tensor(name, [p[i] for p in PAIRS]) for i in (0, 1))
        n = len(PAIRS)
        for opcode, bound in (("add", "exact"), ("subtract", "exact"), ("multiply", ulps(2)), ("divide", ulps(2)),
                              ("power", ulps(32))):
            group.add(identifier(opcode, name), f"{name}[{n}] {opcode}(p0, p1)", [a, b], bound)
        # Without (7 + i, -1 + 7 i), which is a pole, and with room for a zero that XLA misses.
        group.add(identifier("atan2", name), f"{name}[5] atan2(p0, p1)", [a[:5], b[:5]],
                  ulps(4, 1e-6 if name == "c64" else 1e-15))
        group.add(identifier("compare", name), [f"pred[{n}] compare(p0, p1), direction={d}" for d in ("EQ", "NE")],
                  [a, b])
        m = len(NUMBERS)
        z = tensor(name, NUMBERS)
        for opcode in FUNCTIONS:
            # log has its pole at 0, and so have rsqrt and these at ±1 and ±i.
            skipped = {"log": (0, ), "rsqrt": (0, ), "atanh": (1, -1), "log-plus-one": (-1, )}.get(opcode, ())
            numbers = [x for x in NUMBERS if x not in skipped]
            group.add(identifier(opcode, name), f"{name}[{len(numbers)}] {opcode}(p0)", [tensor(name, numbers)],
                      ulps(4))
        group.add(identifier("negate", name), f"{name}[{m}] negate(p0)", [z])
        group.add(identifier("abs", name), f"{part}[{m}] abs(p0)", [z], ulps(2))
        group.add(identifier("real_imag", name), [f"{part}[{m}] real(p0)", f"{part}[{m}] imag(p0)"], [z])
        group.add(identifier("complex", name), f"{name}[4] complex(p0, p1)",
                  [tensor(part, [0, -0.0, nan, inf]),
                   tensor(part, [-0.0, 1, -inf, nan])])
        special = tensor(name, [c(inf, 1), c(nan, 0), c(0, inf), c(-inf, nan), c(1, -inf), c(nan, nan)])
        group.add(identifier("negate_special", name), f"{name}[6] negate(p0)", [special])
        group.add(identifier("abs_special", name), f"{part}[6] abs(p0)", [special])
        ones = tensor(name, [c(1, 1)] * 6)
        group.add(identifier("add_special", name), f"{name}[6] add(p0, p1)", [special, ones])
        group.add(identifier("multiply_special", name), f"{name}[6] multiply(p0, p1)", [special, ones])
        group.add(identifier("compare_special", name),
                  [f"pred[6] compare(p0, p1), direction={d}" for d in ("EQ", "NE")], [special, special])
        group.add(identifier("divide_by_zero", name), f"{name}[4] divide(p0, p1)",
                  [tensor(name, [c(1, 0), c(0, 1), c(0, 0), c(-1, -1)]),
                   tensor(name, [c(0, 0)] * 4)])
        group.add(identifier("select", name), f"{name}[3] select(p0, p1, p2)",
                  [tensor("pred", [1, 0, 1]), a[:3], b[:3]])
        group.add(identifier("copy", name), f"{name}[6] copy(p0)", [special], exact_nan=True)
        for opcode in ("exponential", "log", "sqrt", "tanh", "exponential-minus-one", "log-plus-one"):
            limits = tensor(name, [c(inf, 0), c(-inf, 0), c(0, 0), c(-0.0, 0)] if opcode not in ("log", ) else
                            [c(inf, 0), c(-inf, 0), c(0, inf)])
            group.add(identifier(opcode, "special", name), f"{name}[{limits.size}] {opcode}(p0)", [limits], ulps(2))
    for part in ("f32", "f64"):
        group.add(identifier("real_imag", part), [f"{part}[3] real(p0)", f"{part}[3] imag(p0)"],
                  [tensor(part, [1.5, -0.0, nan])])
    return group
