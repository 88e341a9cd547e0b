"""cholesky, triangular-solve and fft."""

import numpy as np

from building import Group, identifier, rough_values, ulps, values
from tensors import DTYPES, tensor

nan = float("nan")
ABSOLUTE = {"f32": 1e-5, "f64": 1e-13, "c64": 1e-5, "c128": 1e-13}


def positive_definite(kind, *shape, seed=0):
    a = rough_values(kind, *shape, seed=seed)
    size = shape[-1]
    product = a @ np.conj(np.swapaxes(a, -1, -2)) + 2 * np.eye(size, dtype=DTYPES[kind])
    return product.astype(DTYPES[kind])


def programs():
    group = Group("linear_algebra")
    choleskys(group)
    solves(group)
    ffts(group)
    return group


def choleskys(group):
    for kind in ("f32", "f64", "c64", "c128"):
        for lower in ("true", "false"):
            group.add(identifier("cholesky", "lower" if lower == "true" else "upper", kind),
                      f"{kind}[3,3] cholesky(p0), lower={lower}", [positive_definite(kind, 3, 3)],
                      ulps(16, ABSOLUTE[kind]))
    group.add("cholesky_batch", "f32[2,3,3] cholesky(p0), lower=true", [positive_definite("f32", 2, 3, 3)],
              ulps(16, 1e-5))
    group.add("cholesky_one", "f32[1,1] cholesky(p0), lower=true", [tensor("f32", [[9]])], ulps(2))
    group.add("cholesky_empty", "f32[0,0] cholesky(p0), lower=true", [values("f32", 0, 0)])
    # Only one triangle is read; the result's other one is zero.
    filled = positive_definite("f32", 3, 3)
    filled[0, 1:] = 99
    group.add("cholesky_reads_lower", "f32[3,3] cholesky(p0), lower=true", [filled], ulps(16, 1e-5))
    filled = positive_definite("f32", 3, 3)
    filled[1:, 0] = nan
    group.add("cholesky_reads_upper", "f32[3,3] cholesky(p0), lower=false", [filled], ulps(16, 1e-5))
    group.add("cholesky_not_positive_definite", "f32[2,2] cholesky(p0), lower=true",
              [tensor("f32", [[1, 2], [2, 1]])])
    group.add("cholesky_of_nan", "f32[2,2] cholesky(p0), lower=true", [tensor("f32", [[nan, 0], [0, 1]])])


def solves(group):
    def triangle(kind, *shape, seed=0):
        a = rough_values(kind, *shape, seed=seed)
        size = shape[-1]
        return (a + 3 * np.eye(size, dtype=DTYPES[kind])).astype(DTYPES[kind])

    def add(name, a, b, left="true", lower="true", unit="false", transpose="NO_TRANSPOSE", bound=None):
        kind = next(n for n, d in DTYPES.items() if d == a.dtype)
        shape = ",".join(map(str, b.shape))
        group.add(
            identifier("triangular_solve", name),
            f"{kind}[{shape}] triangular-solve(p0, p1), left_side={left}, lower={lower}, unit_diagonal={unit}, transpose_a={transpose}",
            [a, b], bound or ulps(32, ABSOLUTE[kind]))

    for kind in ("f32", "c64"):
        for left in ("true", "false"):
            for lower in ("true", "false"):
                for transpose in ("NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"):
                    if kind == "f32" and transpose == "ADJOINT" and left == "false":
                        continue
                    name = identifier("left" if left == "true" else "right",
                                      "lower" if lower == "true" else "upper", transpose.lower(), kind)
                    b = rough_values(kind, *((3, 2) if left == "true" else (2, 3)), seed=5)
                    add(name, triangle(kind, 3, 3), b, left, lower, "false", transpose)
    for kind in ("f64", "c128"):
        add(kind, triangle(kind, 3, 3), rough_values(kind, 3, 2, seed=5))
    # The diagonal is not read where it is said to be one.
    add("unit_lower", triangle("f32", 3, 3), rough_values("f32", 3, 2, seed=5), unit="true")
    add("unit_upper_right",
        triangle("f32", 3, 3),
        rough_values("f32", 2, 3, seed=5),
        left="false",
        lower="false",
        unit="true")
    add("unit_transposed",
        triangle("f32", 3, 3),
        rough_values("f32", 3, 2, seed=5),
        unit="true",
        transpose="TRANSPOSE")
    add("batch", triangle("f32", 2, 3, 3), rough_values("f32", 2, 3, 2, seed=5))
    add("one", tensor("f32", [[2]]), tensor("f32", [[3, 5]]))
    add("empty", values("f32", 0, 0), values("f32", 0, 2))
    add("no_columns", triangle("f32", 3, 3), values("f32", 3, 0))
    add("exact", tensor("f32", [[2, 0], [1, 4]]), tensor("f32", [[2, 6], [5, 11]]), bound="exact")
    other = tensor("f32", [[2, nan], [1, 4]])
    add("reads_one_triangle", other, tensor("f32", [[2, 6], [5, 11]]), bound="exact")


def ffts(group):
    # XLA:CPU has errors of some units of the last place of the largest element.
    def add(name, kind, data, shape, length, element):
        group.add(identifier("fft", name), f"{element}[{shape}] fft(p0), fft_type={kind}, fft_length={{{length}}}",
                  [data], ulps(8, 4e-6 if data.dtype in (np.complex64, np.float32) else 1e-14))

    for size in (1, 2, 3, 5, 6, 7, 8, 9, 16):
        add(f"forward_{size}", "FFT", rough_values("c64", size), size, size, "c64")
        add(f"inverse_{size}", "IFFT", rough_values("c64", size), size, size, "c64")
        add(f"real_{size}", "RFFT", rough_values("f32", size), size // 2 + 1, size, "c64")
        add(f"real_inverse_{size}", "IRFFT", hermitian("c64", size), size, size, "f32")
    for size in (5, 8):
        add(f"forward_c128_{size}", "FFT", rough_values("c128", size), size, size, "c128")
        add(f"inverse_c128_{size}", "IFFT", rough_values("c128", size), size, size, "c128")
        add(f"real_f64_{size}", "RFFT", rough_values("f64", size), size // 2 + 1, size, "c128")
        add(f"real_inverse_c128_{size}", "IRFFT", hermitian("c128", size), size, size, "f64")
    add("two_dimensions", "FFT", rough_values("c64", 3, 4), "3,4", "3,4", "c64")
    add("two_dimensions_inverse", "IFFT", rough_values("c64", 3, 4), "3,4", "3,4", "c64")
    add("two_dimensions_real", "RFFT", rough_values("f32", 3, 5), "3,3", "3,5", "c64")
    add("two_dimensions_real_even", "RFFT", rough_values("f32", 4, 6), "4,4", "4,6", "c64")
    plane = np.fft.rfft2(rough_values("f64", 3, 5)).astype(np.complex64)
    add("two_dimensions_real_inverse", "IRFFT", plane, "3,5", "3,5", "f32")
    add("three_dimensions", "FFT", rough_values("c64", 2, 3, 2), "2,3,2", "2,3,2", "c64")
    add("three_dimensions_real", "RFFT", rough_values("f32", 2, 3, 4), "2,3,3", "2,3,4", "c64")
    add("batch", "FFT", rough_values("c64", 2, 3, 4), "2,3,4", "4", "c64")
    add("batch_real", "RFFT", rough_values("f32", 2, 3, 4), "2,3,3", "4", "c64")
    add("empty_batch", "FFT", values("c64", 0, 4), "0,4", "4", "c64")


def hermitian(kind, size):
    """Half of the spectrum of a real signal: the imaginary parts that cannot be are zero."""
    double = np.fft.rfft(rough_values("f64", size))
    double.imag[0] = 0
    if size % 2 == 0:
        double.imag[-1] = 0
    return double.astype(DTYPES[kind])
