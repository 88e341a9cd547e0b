"""Elementary functions of floating-point numbers.

XLA:CPU has approximations of its own, an ulp or a few away from the value rounded once; what it rounds to f16 or bf16
it computes in f32. No subnormal numbers, which it flushes to zero.
"""

from building import Group, identifier, ulps
from tensors import tensor

nan, inf = float("nan"), float("inf")
GENERAL = [0, -0.0, 0.5, -0.5, 1, -1, 1.7, -2.3, 3.14159, 10, -20, 0.01, -0.001, inf, -inf, nan]
POSITIVE = [0, -0.0, 1, 0.5, 0.999, 1.001, 2, 2.718281828, 3, 10, 1000, 0.01, 1e-4, inf, nan, -1, -inf]
UNIT = [0, -0.0, 0.5, -0.5, 1, -1, 0.99, -0.99, 0.001, -0.1, 1.5, -2, inf, -inf, nan]

# Arguments, and how far XLA may be from the correctly rounded value: in f16 and bf16, in f32, in f64.
FUNCTIONS = {
    "exponential": (GENERAL + [88, -87, 5.5], 1, 2, 2),
    "exponential-minus-one": (GENERAL + [1e-4, -1e-4, 30], 1, 3, 3),
    "log": (POSITIVE, 1, 2, 2),
    "log-plus-one": ([0, -0.0, 0.5, -0.5, 1e-4, -1e-4, 0.01, 1, 10, 1000, -0.999, -1, -2, inf, -inf, nan], 1, 2, 2),
    "logistic": (GENERAL + [5, -5], 2, 3, 3),
    "tanh": (GENERAL + [4, -6, 0.3], 1, 3, 3),
    "sine": (GENERAL + [100, -3], 1, 2, 2),
    "cosine": (GENERAL + [100, -3], 1, 2, 2),
    "tan": (GENERAL + [1.5, -1.2], 1, 2, 2),
    "rsqrt": (POSITIVE, 1, 2, 2),
    "cbrt": (GENERAL + [8, -27, 1000], 1, 2, 2),
    "erf": (GENERAL + [2.5, -3.5, 0.1], 1, 2, 2),
    "acos": (UNIT, 1, 2, 2),
    "asin": (UNIT, 1, 2, 2),
    "atanh": (UNIT, 1, 2, 2),
    "acosh": ([1, 1.5, 2, 10, 100, 1.01, 0.5, -1, inf, -inf, nan], 1, 2, 2),
    "asinh": (GENERAL + [100, -100], 1, 2, 2),
    "sinh": (GENERAL + [5, -5], 1, 2, 2),
    "cosh": (GENERAL + [5, -5], 1, 2, 2),
}
POWERS = [(2, 3), (2, 0.5), (0.5, -2), (-2, 3), (-2, 2), (-2, 0.5), (0, 0), (0, 1), (0, -1), (-0.0, -1), (-0.0, 3),
          (-0.0, 2), (nan, 0), (1, nan), (nan, 1), (2, nan), (inf, 0), (inf, 1), (inf, -1), (-inf, 3), (-inf, 2),
          (-inf, -3), (0.5, inf), (2, inf), (2, -inf), (1, inf), (-1, inf), (1.1, 10.5), (10, 4), (3.7, 1.3)]
ANGLES = [(0, 1), (-0.0, 1), (0, -1), (-0.0, -1), (0, 0), (-0.0, 0), (0, -0.0), (1, 0), (-1, 0), (1, 1), (-1, 1),
          (1, -1), (-1, -1), (inf, 1), (1, inf), (inf, inf), (inf, -inf), (-inf, -inf), (nan, 1), (1, nan),
          (0.3, 2), (-5, 0.2), (1, -inf)]


def programs():
    group = Group("math_functions")
    for opcode, (numbers, half, single, double) in FUNCTIONS.items():
        for name, count in (("f16", half), ("bf16", half), ("f32", single), ("f64", double)):
            group.add(identifier(opcode, name), f"{name}[{len(numbers)}] {opcode}(p0)", [tensor(name, numbers)],
                      ulps(count))
    for opcode, pairs in (("power", POWERS), ("atan2", ANGLES)):
        for name, count in (("f16", 1), ("bf16", 1), ("f32", 2), ("f64", 2)):
            a, b = (tensor(name, [p[i] for p in pairs]) for i in (0, 1))
            group.add(identifier(opcode, name), f"{name}[{len(pairs)}] {opcode}(p0, p1)", [a, b], ulps(count))
    for opcode in ("exponential", "log", "tanh", "sqrt", "rsqrt", "sine", "logistic"):
        for name in ("f8e5m2", "f8e4m3fn", "f8e4m3b11fnuz", "f8e3m4", "f8e4m3fnuz"):
            numbers = [0.5, 1, 1.5, 2, 3, 5]
            group.add(identifier(opcode, name), f"{name}[6] {opcode}(p0)", [tensor(name, numbers)], ulps(1))
    return group
