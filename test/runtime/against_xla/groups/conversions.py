"""convert between all pairs of types, bitcast-convert, reduce-precision, stochastic-convert.

No subnormal numbers of bf16, f32 and f64, which XLA:CPU flushes to zero on the way.
"""

import numpy as np

from building import PLAIN_FLOATS, Group, identifier
from tensors import COMPLEX, DTYPES, F8, FLOATS, INTEGERS, SIGNED, bits_of, least, most, tensor

nan, inf = float("nan"), float("inf")
# Ties and their neighbours in the narrow types, their largest values and what lies beyond, and the ends of the integers.
FRACTIONS = [
    0, -0.0, 1, -1, 0.5, -0.5, 1.5, -1.5, 2.5, 0.75, 1.75, 5, 7, -8, -9, 15.5, 17, 19, 127.5, -128.5, -129, 240,
    255.5, 256, 448, 464, 480, 57344, 61439, 61440, 65504, 65520, -3e9, 2147483648, 9.3e18, 1.9e19, 1e38, inf, -inf,
    nan, 0.0009765625, 0.001, 0.0078125, 1.0625, 1.1875
]
WHOLE = [
    0, 1, -1, 2, 5, 7, 8, -8, -9, 15, 17, 19, 127, 128, -128, -129, 255, 257, 449, 464, 465, 2049, 2051, 32767,
    32768, 65519, 65520, 16777217, 16777219, 2147483647, -2147483648, 4294967295, 9007199254740993,
    9223372036854775807, -9223372036854775808, 18446744073709551615
]
TYPES = [name for name in DTYPES if name not in ("s1", "u1")]
TARGETS = {
    "signed": [name for name in TYPES if name in SIGNED],
    "unsigned": [name for name in TYPES if name in INTEGERS and name not in SIGNED],
    "floats": list(PLAIN_FLOATS),
    "f8": list(F8),
    "f4e2m1fn": ["f4e2m1fn"],
    "complex": ["c64", "c128"],
    "pred": ["pred"],
}


def numbers_of(name):
    if name == "pred":
        return [0, 1]
    if name in INTEGERS:
        return [x for x in WHOLE if least(name) <= x <= most(name)]
    if name in COMPLEX:
        return [
            complex(1.5, 2),
            complex(-3, 0),
            complex(nan, 1),
            complex(0, 1),
            complex(0, 0),
            complex(1e10, -1),
            complex(-inf, inf)
        ]
    if name == "f4e2m1fn":
        return [0, -0.0, 0.5, 1, 1.5, 2, 3, 4, 6, -0.5, -1, -1.5, -2, -3, -4, -6]
    if name == "f8e8m0fnu":
        return [1, 2, 4, 0.5, 0.125, 128, 512, 2.0**40, 2.0**-30, nan]
    with np.errstate(over="ignore"):
        rounded = tensor(name, FRACTIONS)
    # Each number once, and each kind of nan.
    seen = {}
    for value in rounded:
        seen.setdefault(value.tobytes(), value)
    return list(seen.values())


def programs():
    group = Group("conversions")
    for source in TYPES:
        for kind, targets in TARGETS.items():
            numbers = numbers_of(source)
            if source == "f4e2m1fn" and kind in ("signed", "unsigned"):
                # XLA:CPU takes its largest number for an infinity here: 6 to s8 is 127.
                numbers = [x for x in numbers if abs(x) < 6]
            if source in F8 and kind == "f4e2m1fn":
                # The sign of the zero that nan becomes is not one to rely on.
                numbers = [x for x in numbers if x == x]
            results = [f"{target}[{len(numbers)}] convert(p0)" for target in targets]
            group.add(identifier("convert", source, "to", kind), results, [tensor(source, numbers)])
    add_bitcasts(group)
    add_reduce_precision(group)
    add_stochastic(group)
    return group


def pattern(name, *shape):
    """Bits of all kinds, without a nan."""
    count = int(np.prod(shape))
    size = DTYPES[name].itemsize
    narrow = bits_of(name) < 8
    data = [(i * 37 + 21) % (1 << bits_of(name) if narrow else 120) for i in range(count * size)]
    raw = np.array(data, np.uint8)
    if narrow and name in SIGNED:
        return tensor(name, [x - (1 << bits_of(name)) if x > most(name) else x for x in data], shape)
    if narrow and name in INTEGERS:
        return tensor(name, data, shape)
    return raw.view(DTYPES[name]).reshape(shape)


def add_bitcasts(group):
    same = {
        8: ("s8", "u8", "f8e5m2", "f8e4m3fn", "f8e3m4", "f8e8m0fnu"), 16: ("s16", "u16", "f16", "bf16"), 32:
        ("s32", "u32", "f32"), 64: ("s64", "u64", "f64"), 4: ("s4", "u4", "f4e2m1fn"), 2: ("s2", "u2")
    }
    for width, names in same.items():
        for source in names:
            targets = [n for n in names if n != source]
            group.add(identifier("bitcast_convert", source), [f"{t}[6] bitcast-convert(p0)" for t in targets],
                      [pattern(source, 6)],
                      exact_nan=True)
    wide = {
        "f32": ("u8", "u16", "bf16", "s4"), "u64": ("u32", "f16", "s8"), "s16": ("u8", "s4", "u2"), "u8":
        ("u4", "s2"), "c64": ("u32", "u8"), "f64": ("f32", "u16")
    }
    for source, targets in wide.items():
        for target in targets:
            ratio = bits_of(source) // bits_of(target)
            group.add(identifier("bitcast_convert", source, "to", target),
                      f"{target}[3,{ratio}] bitcast-convert(p0)", [pattern(source, 3)],
                      exact_nan=True)
            group.add(identifier("bitcast_convert", target, "to", source),
                      f"{source}[3] bitcast-convert(p0)", [pattern(target, 3, ratio)],
                      exact_nan=True)
    nans = np.array([0x7fc00000, 0x7f800001, 0xffc00123, 0xff800000, 0x80000000, 1], np.uint32)
    group.add("bitcast_convert_nans_u32_to_f32", "f32[6] bitcast-convert(p0)", [nans], exact_nan=True)
    group.add("bitcast_convert_nans_f32_to_u32",
              "u32[6] bitcast-convert(p0)", [nans.view(np.float32)],
              exact_nan=True)
    group.add("bitcast_convert_complex_to_u64", "u64[3] bitcast-convert(p0)", [pattern("c64", 3)])


def add_reduce_precision(group):
    numbers = [
        0, -0.0, 1, -1.5, 3.14159265, 1.0009765625, 1.001, 65504, 65520, 1e30, -1e-3, 6e-5, 3e-5, 1e-10, inf, -inf,
        nan, 1.00390625, 1.01171875, 448, 500
    ]
    for name in PLAIN_FLOATS:
        for exponent, mantissa in ((5, 10), (8, 7), (4, 3), (5, 2), (8, 23), (11, 52), (3, 0), (2, 1)):
            # f16 as if it had the exponents of f32: nothing changes but the mantissa.
            group.add(
                identifier("reduce_precision", name, f"e{exponent}m{mantissa}"),
                f"{name}[{len(numbers)}] reduce-precision(p0), exponent_bits={exponent}, mantissa_bits={mantissa}",
                [tensor(name, numbers)])


def add_stochastic(group):
    numbers = [1.5, -2.25, 3e9, 1, 0.75, -0.75, -300, 127.5, nan, inf, 0.125, -0.0]
    for source, random in (("f32", "u32"), ("f16", "u16"), ("bf16", "u16"), ("f64", "u64")):
        width = bits_of(random)
        draws = [
            1, 1 << (width - 1), 3, (1 << width) - 1, 1 << (width - 2), 0, 5 << (width - 4), 7, 8, 9,
            (1 << width) - 5, 11
        ]
        for target in ("s8", "s16", "s32", "u8"):
            group.add(identifier("stochastic_convert", source, "to",
                                 target), f"{target}[12] stochastic-convert(p0, p1)",
                      [tensor(source, numbers), tensor(random, draws)])
