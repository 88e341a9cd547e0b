"""Arithmetic of floating-point numbers, rounded once: every result is exact.

No subnormal numbers, neither among the arguments nor the results: XLA:CPU flushes them to zero, but for f16.
"""

from building import PLAIN_FLOATS, Group, identifier
from tensors import F8, tensor

nan, inf = float("nan"), float("inf")

PAIRS = [(-1.5, 0.25), (3, -7), (0, 0), (0, -0.0), (-0.0, 0), (-0.0, -0.0), (-inf, 1), (inf, inf), (inf, -inf),
         (nan, 1), (1, nan), (-1, 0), (1, -0.0), (0, inf), (7, inf), (-7.5, 2), (7.5, -2), (0.1, 3), (1, 3),
         (2, 0.7)]
LARGEST = {
    "f16": 65504.0, "bf16": 3.3895313892515355e38, "f32": 3.4028234663852886e38, "f64": 1.7976931348623157e308
}
SMALLEST = {"f16": 2.0**-14, "bf16": 2.0**-126, "f32": 2.0**-126, "f64": 2.0**-1022}
BINARY = ("add", "subtract", "multiply", "divide", "remainder", "maximum", "minimum")
UNARY = ("negate", "abs", "sign", "floor", "ceil", "round-nearest-afz", "round-nearest-even", "copy")
# Without subnormal results of these; the f8 family has no infinities in part, where they are nan.
F8_PAIRS = [(1, 2), (-1.5, 0.25), (3, -7), (0, 0), (inf, 1), (nan, 1), (1, nan), (-7.5, 2), (5, 3), (3.5, 3.5),
            (1.25, 1.25), (2, 6), (0, 2)]
DIRECTIONS = ("EQ", "NE", "LT", "LE", "GT", "GE")


def programs():
    group = Group("floats")
    for name in PLAIN_FLOATS:
        largest, smallest = LARGEST[name], SMALLEST[name]
        for opcode in BINARY:
            pairs = list(PAIRS)
            if opcode != "remainder":
                pairs += [(largest, largest), (largest, -largest), (-largest, largest)]
            if opcode not in ("multiply", "divide", "remainder"):
                pairs += [(smallest, 1), (-smallest, smallest)]
            binary(group, name, opcode, pairs)
        numbers = [
            0, -0.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 0.49, -0.51, 1, -1, 7.75, -7.75, 126.5, inf, -inf, nan,
            largest, -largest, smallest, -smallest
        ]
        for opcode in UNARY:
            unary(group, name, opcode, numbers)
        group.add(identifier("is_finite", name), f"pred[{len(numbers)}] is-finite(p0)", [tensor(name, numbers)])
        unary(group, name, "sqrt", [0, -0.0, 1, 2, 3, 4, 0.25, 10, inf, nan, -1, -inf, largest, smallest])
        compare(group, name)
        clamp_and_select(group, name)
    # XLA:CPU keeps these; those of the other types it flushes to zero.
    tiny = [2.0**-24, -2.0**-24, 2.0**-15, 3 * 2.0**-24, 2.0**-14 - 2.0**-24]
    for opcode in UNARY + ("sqrt", ):
        group.add(identifier(opcode, "f16_subnormal"), f"f16[5] {opcode}(p0)",
                  [tensor("f16", [abs(x) for x in tiny] if opcode == "sqrt" else tiny)])
    for opcode in ("add", "subtract", "multiply", "maximum", "minimum"):
        group.add(identifier(opcode, "f16_subnormal"), f"f16[5] {opcode}(p0, p1)",
                  [tensor("f16", tiny), tensor("f16", [2.0**-24, 0.5, 3, 2.0**-14, 0.25])])
    for name in F8:
        if name == "f8e8m0fnu":
            continue
        few = name in ("f8e4m3", "f8e4m3b11fnuz", "f8e5m2fnuz")
        for opcode in ("add", "multiply", "maximum") if few else BINARY:
            binary(group, name, opcode, F8_PAIRS)
        for opcode in ("negate", "sign", "floor") if few else UNARY:
            unary(group, name, opcode, [0, -0.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 1, -1, 7.5, inf, -inf, nan])
        group.add(identifier("is_finite", name), "pred[4] is-finite(p0)", [tensor(name, [1, inf, -inf, nan])])
        compare(group, name)
    scale = [(1, 2), (4, 0.5), (8, 8), (nan, 1)]
    for opcode in ("multiply", "divide", "maximum", "minimum", "add"):
        binary(group, "f8e8m0fnu", opcode, scale)
    compare(group, "f8e8m0fnu", [(1, 2), (2, 2), (4, 1), (nan, 1)])
    four = [(1, 2), (-1.5, 0.5), (3, 1), (0, 0), (6, -4), (-6, 6), (0.5, 0.5), (1.5, 1.5), (-2, 3)]
    for opcode in ("add", "subtract", "multiply", "maximum", "minimum"):
        binary(group, "f4e2m1fn", opcode, four)
    for opcode in UNARY:
        unary(group, "f4e2m1fn", opcode, [0, -0.0, 0.5, -0.5, 1, 1.5, -1.5, 2, 3, -4, 6, -6])
    compare(group, "f4e2m1fn", four)
    return group


def binary(group, name, opcode, pairs):
    a, b = (tensor(name, [p[i] for p in pairs]) for i in (0, 1))
    group.add(identifier(opcode, name), f"{name}[{len(pairs)}] {opcode}(p0, p1)", [a, b])


def unary(group, name, opcode, numbers):
    # Moved bits keep the sign of a nan.
    group.add(identifier(opcode, name),
              f"{name}[{len(numbers)}] {opcode}(p0)", [tensor(name, numbers)],
              exact_nan=opcode == "copy")


def compare(group, name, pairs=None):
    pairs = pairs or [(0, 0), (0, -0.0), (-0.0, 0), (1, 2), (2, 1), (-1, 1), (1, nan), (nan, 1), (nan, nan),
                      (nan, -nan), (inf, nan), (-nan, -inf), (inf, inf), (-inf, inf), (1, inf)]
    a, b = (tensor(name, [p[i] for p in pairs]) for i in (0, 1))
    for suffix, kind in (("", ""), ("_total_order", ", type=TOTALORDER")):
        results = [f"pred[{len(pairs)}] compare(p0, p1), direction={d}{kind}" for d in DIRECTIONS]
        group.add(identifier(f"compare{suffix}", name), results, [a, b])


def clamp_and_select(group, name):
    operand = [-2, 0.5, 3, nan, inf, -inf, -0.0, 0, 1, 1]
    lower = [-1, -1, -1, -1, -1, -1, 0, -0.0, nan, 0]
    upper = [1, 1, 1, 1, 1, 1, 1, 1, 2, nan]
    arguments = [tensor(name, v) for v in (lower, operand, upper)]
    group.add(identifier("clamp", name), f"{name}[10] clamp(p0, p1, p2)", arguments)
    group.add(identifier("clamp_scalar_bounds", name), f"{name}[10] clamp(p0, p1, p2)",
              [tensor(name, -1.5), arguments[1], tensor(name, 0.75)])
    choose = tensor("pred", [0, 1, 0, 1, 1, 0, 1, 0, 1, 0])
    group.add(identifier("select", name),
              f"{name}[10] select(p0, p1, p2)", [choose, arguments[1], arguments[2]],
              exact_nan=True)
