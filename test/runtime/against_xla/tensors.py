"""Tensors of HLO's element types as numpy arrays: their names, their text as HLO literals, and files.

Needs numpy and ml_dtypes.
"""

import re

import ml_dtypes
import numpy as np

# HLO's name of each element type and numpy's type for it.
DTYPES = {
    "pred": np.dtype(np.bool_),
    "s1": np.dtype(ml_dtypes.int1),
    "s2": np.dtype(ml_dtypes.int2),
    "s4": np.dtype(ml_dtypes.int4),
    "s8": np.dtype(np.int8),
    "s16": np.dtype(np.int16),
    "s32": np.dtype(np.int32),
    "s64": np.dtype(np.int64),
    "u1": np.dtype(ml_dtypes.uint1),
    "u2": np.dtype(ml_dtypes.uint2),
    "u4": np.dtype(ml_dtypes.uint4),
    "u8": np.dtype(np.uint8),
    "u16": np.dtype(np.uint16),
    "u32": np.dtype(np.uint32),
    "u64": np.dtype(np.uint64),
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "f8e5m2": np.dtype(ml_dtypes.float8_e5m2),
    "f8e4m3": np.dtype(ml_dtypes.float8_e4m3),
    "f8e4m3fn": np.dtype(ml_dtypes.float8_e4m3fn),
    "f8e4m3b11fnuz": np.dtype(ml_dtypes.float8_e4m3b11fnuz),
    "f8e3m4": np.dtype(ml_dtypes.float8_e3m4),
    "f8e5m2fnuz": np.dtype(ml_dtypes.float8_e5m2fnuz),
    "f8e4m3fnuz": np.dtype(ml_dtypes.float8_e4m3fnuz),
    "f8e8m0fnu": np.dtype(ml_dtypes.float8_e8m0fnu),
    "f4e2m1fn": np.dtype(ml_dtypes.float4_e2m1fn),
    "c64": np.dtype(np.complex64),
    "c128": np.dtype(np.complex128),
}
NAMES = {dtype: name for name, dtype in DTYPES.items()}

SIGNED = ("s1", "s2", "s4", "s8", "s16", "s32", "s64")
UNSIGNED = ("u1", "u2", "u4", "u8", "u16", "u32", "u64")
INTEGERS = SIGNED + UNSIGNED
FLOATS = tuple(n for n in DTYPES if n.startswith(("f", "bf")))
F8 = tuple(n for n in DTYPES if n.startswith("f8"))
COMPLEX = ("c64", "c128")
PART = {"c64": "f32", "c128": "f64"}


def bits_of(name):
    """The width of an element type."""
    return 8 if name == "pred" else 16 if name == "bf16" else int(re.match(r"[a-z](\d+)", name)[1])


def name_of(array):
    return NAMES[np.asarray(array).dtype]


def shape_text(array):
    """f32[2,3]"""
    return f"{name_of(array)}[{','.join(map(str, np.shape(array)))}]"


def least(name):
    return -(1 << (bits_of(name) - 1)) if name in SIGNED else 0


def most(name):
    return (1 << (bits_of(name) - (1 if name in SIGNED else 0))) - 1


def tensor(name, values, shape=None):
    """An array of HLO's type `name` with these values: numbers (rounded to the type), or nested lists of them."""
    dtype = DTYPES[name]
    if name in INTEGERS:
        array = np.array(values, dtype=object)
        array = np.array([int(x) for x in array.ravel()], dtype=object).reshape(array.shape)
        wide = np.uint64 if name == "u64" else np.int64
        array = array.astype(wide).astype(dtype)
    elif name in ("f32", "f64", "pred") or name in COMPLEX:
        with np.errstate(over="ignore"):
            array = np.array(values, dtype=dtype)
    else:
        with np.errstate(over="ignore", invalid="ignore"):
            array = np.array(values, dtype=np.float64).astype(dtype)
    return array if shape is None else array.reshape(shape)


# ---- text ----


def _bits(array):
    """The elements' bits, as Python integers, of an array of floats."""
    width = array.dtype.itemsize
    return array.view({1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[width])


def _mantissa_bits(name):
    known = re.match(r"f\d+e\d+m(\d+)", name)
    return int(known[1]) if known else {"f16": 10, "bf16": 7, "f32": 23, "f64": 52}[name]


def _nan_text(name, bits, exact):
    """nan, -nan, or with its payload: nan(0x1)."""
    if not exact:
        return "nan"
    if "fnuz" in name or "fnu" in name or name.endswith("fn"):
        # One pattern, or two that differ in the sign.
        sign = "fnu" not in name and bits >> (bits_of(name) - 1)
        return "-nan" if sign else "nan"
    mantissa = _mantissa_bits(name)
    payload = bits & ((1 << mantissa) - 1)
    text = "-nan" if bits >> (bits_of(name) - 1) else "nan"
    return text if payload == 1 << (mantissa - 1) else f"{text}(0x{payload:x})"


def _float_text(name, value, exact_nan):
    """The shortest text that reads back to the same value. `value` is a numpy scalar."""
    as_double = float(value)
    if np.isnan(as_double):
        return _nan_text(name, int(_bits(np.array([value], DTYPES[name]))[0]), exact_nan)
    if np.isinf(as_double):
        return "-inf" if as_double < 0 else "inf"
    if as_double == 0:
        return "-0" if np.signbit(as_double) else "0"
    if name in ("f32", "f64"):
        text = np.format_float_scientific(value, unique=True, trim="-")
    else:
        for digits in range(20):
            text = f"{as_double:.{digits}e}"
            if tensor(name, float(text)) == value:
                break
    text = re.sub(r"e([+-])0*(\d)", lambda m: f"e{'-' if m[1] == '-' else ''}{m[2]}", text)
    # Without an exponent where that is not much longer.
    for plain in (f"{as_double:.{digits}f}" for digits in range(18)):
        if len(plain) <= len(text) + 3 and tensor(name, float(plain)) == value:
            return plain
    return text


def _element_text(name, value, exact_nan):
    if name == "pred":
        return "1" if value else "0"
    if name in INTEGERS:
        return str(int(value))
    if name in COMPLEX:
        part = PART[name]
        return f"({_float_text(part, value.real, exact_nan)}, {_float_text(part, value.imag, exact_nan)})"
    return _float_text(name, value, exact_nan)


def literal(array, exact_nan=True):
    """The values of an array as an HLO literal. Without `exact_nan` every nan is written `nan`."""
    array = np.asarray(array)
    name = name_of(array)

    def nested(part):
        if part.ndim == 0:
            return _element_text(name, part[()], exact_nan)
        return "{" + ", ".join(nested(part[i]) for i in range(part.shape[0])) + "}"

    return nested(array)


def typed_literal(array, exact_nan=True):
    """f32[2] {1, 2}"""
    return f"{shape_text(array)} {literal(array, exact_nan)}"


# ---- files ----


def save_npz(path, arrays):
    """Entries 0, 1, …; `N.bf16` holds the bits of a bf16 array. Other types that numpy lacks are saved as void
    types."""
    entries = {}
    for i, array in enumerate(arrays):
        array = np.asarray(array)
        if name_of(array) == "bf16":
            entries[f"{i}.bf16"] = array.view(np.uint16)
        elif array.dtype.num >= 256:
            # As a void type: numpy does not read all of ml_dtypes' own names back.
            entries[str(i)] = array.view(f"V{array.dtype.itemsize}")
        else:
            entries[str(i)] = array
    np.savez(path, **entries)


def load_npz(path, names):
    """The arrays of a file that `save_npz` or Mercator wrote, of these HLO types."""
    entries = np.load(path)
    arrays = []
    for i, name in enumerate(names):
        # Mercator names all types that numpy lacks: 0.f8e5m2.
        entry = entries[f"{i}.{name}"] if f"{i}.{name}" in entries else entries[str(i)]
        arrays.append(entry if entry.dtype == DTYPES[name] else entry.view(DTYPES[name]))
    return arrays
