"""Arithmetic of integers and of pred."""

from building import EXACT, NARROW_INTEGERS, WIDE_INTEGERS, Group, identifier
from tensors import SIGNED, bits_of, least, most, tensor

BINARY = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "divide": lambda a, b: -1 if b == 0 else abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1),
    "remainder": lambda a, b: a if b == 0 else abs(a) % abs(b) * (-1 if a < 0 else 1),
    "maximum": max,
    "minimum": min,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}
SHIFTS = ("shift-left", "shift-right-logical", "shift-right-arithmetic")
UNARY = ("negate", "abs", "sign", "not", "popcnt", "count-leading-zeros", "copy")
DIRECTIONS = ("EQ", "NE", "LT", "LE", "GT", "GE")


def clip(name, pairs):
    """Those of the pairs whose numbers the type holds, once each."""
    low, high = least(name), most(name)
    return list(dict.fromkeys((a, b) for a, b in pairs if low <= a <= high and low <= b <= high))


def pairs_for(name, opcode):
    low, high = least(name), most(name)
    if opcode in ("divide", "remainder"):
        pairs = [(7, 2), (-7, 2), (7, -2), (-7, -2), (low, -1), (low, 1), (5, 0), (0, 0), (low, 0), (-1, 0),
                 (high, low), (low, high), (high, 3), (1, high)]
    elif opcode == "power":
        pairs = [(2, 0), (0, 0), (0, 1), (3, 4), (-2, 3), (-2, 2), (1, 100), (-1, 101), (2, -1), (-1, -1), (-1, -2),
                 (1, -5), (0, -1), (high, 2), (low, 3), (7, 11), (2, 5)]
    else:
        pairs = [(0, 0), (1, -1), (high, 1), (low, -1), (low, low), (high, high), (low, 1), (7, -3), (-5, 6),
                 (100, 3), (high, low), (3, 5), (high, 2)]
    return clip(name, pairs)


def fits(name, value):
    return least(name) <= value <= most(name)


def programs():
    group = Group("integers")
    for name in WIDE_INTEGERS + NARROW_INTEGERS:
        narrow = name in NARROW_INTEGERS
        for opcode, meaning in BINARY.items():
            pairs = pairs_for(name, opcode)
            if narrow:
                # XLA:CPU does not wrap at less than 8 bits.
                pairs = [(a, b) for a, b in pairs
                         if fits(name, meaning(a, b)) and not (b == 0 and opcode in ("divide", "remainder"))]
            binary(group, name, opcode, pairs)
        pairs = pairs_for(name, "power")
        if narrow:
            pairs = [(a, b) for a, b in pairs if 0 <= b <= 8 and fits(name, a**b)]
        binary(group, name, "power", pairs)
        for opcode in SHIFTS:
            shift(group, name, opcode)
        for opcode in UNARY:
            if opcode == "abs" and name not in SIGNED:
                continue
            unary(group, name, opcode)
        compare(group, name)
        clamp_and_select(group, name)
    pred(group)
    return group


def binary(group, name, opcode, pairs):
    a, b = (tensor(name, [p[i] for p in pairs]) for i in (0, 1))
    group.add(identifier(opcode, name), f"{name}[{len(pairs)}] {opcode}(p0, p1)", [a, b])


def shift(group, name, opcode):
    width = bits_of(name)
    amounts = [0, 1, width - 1, width, width + 1, -1, least(name), most(name), width // 2]
    # At less than 8 bits XLA:CPU counts the bits of the byte.
    if name in NARROW_INTEGERS:
        amounts = [0, 1, width - 1] if opcode == "shift-right-arithmetic" and name in SIGNED else []
        if opcode == "shift-right-logical":
            amounts = [0, 1, width - 1]
    amounts = [x for x in dict.fromkeys(amounts) if fits(name, x)]
    numbers = [5, most(name), -3 if name in SIGNED else most(name) - 2] if width > 2 else [1, most(name)]
    if opcode == "shift-right-logical" and name in NARROW_INTEGERS:
        numbers = [x for x in numbers if x >= 0]
    if not amounts:
        return
    pairs = [(x, y) for x in numbers for y in amounts]
    binary(group, name, opcode, clip(name, pairs))


def unary(group, name, opcode):
    numbers = [0, 1, -1, 2, 85, -86, least(name), most(name), least(name) + 1, most(name) - 1]
    if name in NARROW_INTEGERS:
        # As above: bits beyond the width count.
        if opcode in ("negate", "abs"):
            numbers = [x for x in numbers if x != least(name) or name not in SIGNED]
            if name not in SIGNED:
                numbers = [0]
        if opcode in ("popcnt", "count-leading-zeros", "not"):
            return
    numbers = [x for x in dict.fromkeys(numbers) if fits(name, x)]
    group.add(identifier(opcode, name), f"{name}[{len(numbers)}] {opcode}(p0)", [tensor(name, numbers)])


def compare(group, name):
    pairs = clip(name, [(0, 0), (1, 0), (0, 1), (-1, 1), (1, -1), (least(name), most(name)),
                        (most(name), least(name)), (most(name), most(name))])
    a, b = (tensor(name, [p[i] for p in pairs]) for i in (0, 1))
    results = [f"pred[{len(pairs)}] compare(p0, p1), direction={d}" for d in DIRECTIONS]
    group.add(identifier("compare", name), results, [a, b])


def clamp_and_select(group, name):
    low, high = least(name), most(name)
    operand = tensor(name, [low, high, 0, 1, low, high])
    lower = tensor(name, [low, 0, 1, 1, 1, high])
    # The last but one has its bounds the wrong way round: the upper one wins.
    upper = tensor(name, [high, 1, 1, 1, 0, high])
    group.add(identifier("clamp", name), f"{name}[6] clamp(p0, p1, p2)", [lower, operand, upper])
    choose = tensor("pred", [1, 0, 1, 1, 0, 0])
    group.add(identifier("select", name), f"{name}[6] select(p0, p1, p2)", [choose, operand, upper])


def pred(group):
    a, b = tensor("pred", [0, 0, 1, 1]), tensor("pred", [0, 1, 0, 1])
    for opcode in ("and", "or", "xor", "add", "multiply", "maximum", "minimum"):
        group.add(identifier(opcode, "pred"), f"pred[4] {opcode}(p0, p1)", [a, b])
    group.add("not_pred", "pred[4] not(p0)", [a])
    results = [f"pred[4] compare(p0, p1), direction={d}" for d in DIRECTIONS]
    group.add("compare_pred", results, [a, b])
    group.add("select_pred", "pred[4] select(p0, p1, p0)", [a, b])
    group.add("clamp_pred", "pred[4] clamp(p0, p1, p2)", [a, b, tensor("pred", [1, 1, 1, 1])])
    group.add("select_scalar_pred",
              "s32[3] select(p0, p1, p2)",
              [tensor("pred", False), tensor("s32", [1, 2, 3]),
               tensor("s32", [4, 5, 6])],
              bound=EXACT)
    group.add("clamp_scalar_bounds_s32", "s32[5] clamp(p0, p1, p2)",
              [tensor("s32", -2), tensor("s32", [-5, -2, 0, 3, 4]),
               tensor("s32", 3)])
