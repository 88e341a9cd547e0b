#!/usr/bin/env python3
"""Writes the programs of this folder, each in the forms in which they can be read:

    NAME.hlo.txt   HLO text as XLA prints it      NAME.pb    the same module, serialized
    NAME.mlir      StableHLO as JAX prints it     NAME.generic.mlir    the same in the generic form

attributes.source.txt and notes.source.txt are HLO that uses every attribute; they have the first two
forms only. So does sparse, which is not made here: it is of JAX 0.4.34, since later ones know no sparse
operands.

    pip install jax==0.10.2
    ./make.py [NAME]...
"""

import os
import pathlib
import sys

sys.dont_write_bytecode = True
os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.sharding import Mesh, PartitionSpec
from jaxlib import _hlo

jax.config.update("jax_hlo_source_file_canonicalization_regex", ".*/")

FOLDER = pathlib.Path(__file__).resolve().parent


def f32(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.float32)


def s32(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.int32)


def moves(x, y):
    z = jnp.concatenate([x.T, y], axis=1)[::2, 1:6]
    w = jnp.pad(z[None], ((0, 0), (1, 2), (0, 1)))
    return lax.rev(w, (1,)).reshape(-1), lax.pad(x, 0.0, ((1, -1, 2), (0, 3, 0)))


def stretch(x):
    return x[:, None, :] + jnp.ones((4, 3, 1)) * jnp.arange(5.0)


def products(a, b, v):
    batched = lax.dot_general(a, b, (((2,), (1,)), ((0,), (0,))), precision="highest")
    return batched, jnp.einsum("bij,j->bi", a, v), v @ v


def convolutions(image, kernel):
    one = lax.conv_general_dilated(
        image, kernel, (2, 1), ((1, 0), (0, 2)), (1, 2), (2, 1), ("NHWC", "HWIO", "NHWC")
    )
    two = lax.conv_general_dilated(
        image, jnp.ones((2, 3, 1, 6)), (1, 1), "SAME",
        dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=2,
    )
    return one, two


def reductions(x):
    return x.sum(0), x.max(), jnp.argmin(x, axis=1), jnp.cumsum(x, axis=0), jnp.any(x > 0, axis=1)


def windows(x):
    pool = lax.reduce_window(x, -jnp.inf, lax.max, (1, 3, 2), (1, 2, 1), ((0, 0), (1, 1), (0, 1)))
    total = lambda x: lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2), (1, 2, 2), "VALID").sum()
    return pool, jax.value_and_grad(total)(x)


def indexed(table, rows, updates):
    picked = table[rows]
    added = table.at[rows].add(updates)
    batched = jnp.take_along_axis(table, rows[:, None] % 5, axis=1)
    return picked, added, batched


def dynamic(x, i, j):
    part = lax.dynamic_slice(x, (i, j + 1), (2, 3))
    return part, lax.dynamic_update_slice(x, part * 2, (j, i))


def sorts(x, y):
    keys, values = lax.sort((x, y), dimension=1, num_keys=1, is_stable=True)
    return keys, values, jnp.argsort(x[0], descending=True), lax.top_k(x, 2)


def loops(x, n):
    def step(carry, row):
        return carry * 2 + row, carry.sum()

    total, sums = lax.scan(step, x[0], x)
    return total, sums, lax.while_loop(lambda s: s[0] < n, lambda s: (s[0] + 1, s[1] + x), (0, x))[1]


def branches(i, x):
    two = lax.cond(x.sum() > 0, lambda x: x * 2, lambda x: x.T.T, x)
    return lax.switch(i, [lambda x: x, lambda x: -x, lambda x: jnp.flip(x, 0)], two)


@jax.jit
def inner(x, y):
    return x + y, x - y


def calls(x, y):
    a, b = inner(x, y)
    c, d = inner(b, a)
    return a * c, d


def elements(x, i):
    return (
        jnp.where(x > 0.5, jnp.exp(x), jnp.clip(x, -1, 1)), lax.erf(x), jnp.arctan(x), jnp.square(x),
        i << 2, lax.population_count(i), x.astype(jnp.bfloat16), lax.bitcast_convert_type(x, jnp.int32),
        lax.reduce_precision(x, 5, 10), jnp.tan(x),
    )


def constants():
    return (
        jnp.asarray(np.arange(6, dtype=np.float32).reshape(2, 3) / 3), jnp.asarray([True, False, True]),
        jnp.asarray([1 + 2j, -3j], dtype=jnp.complex64), jnp.asarray([1, -2], dtype=jnp.int4),
        jnp.asarray([0.5, -448.0], dtype=jnp.float8_e4m3fn), jnp.full((3, 3), jnp.nan),
        jnp.asarray(np.arange(40, dtype=np.int16)), jnp.asarray([np.inf, 1.5], dtype=jnp.bfloat16),
        jnp.zeros((0, 2)),
    )


def libraries(a, x):
    factor = lax.linalg.cholesky(a, symmetrize_input=False)
    solved = lax.linalg.triangular_solve(factor, x, left_side=True, lower=True)
    return factor, solved, jnp.fft.rfft(x), lax.rng_bit_generator(jnp.zeros(4, jnp.uint32), (3,))


def barrier(x, y):
    return lax.optimization_barrier((x, y))


def composite(x):
    return lax.composite(lambda x: x * 2, name="test.twice")(x.T)


def devices(x):
    mesh = Mesh(np.array(jax.devices()[:4]), ("i",))

    def body(x):
        total = lax.psum(x, "i")
        gathered = lax.all_gather(x, "i", axis=1, tiled=True)
        parts = lax.psum_scatter(gathered, "i", scatter_dimension=1, tiled=True)
        moved = lax.ppermute(x, "i", [(k, (k + 1) % 4) for k in range(4)])
        return total + parts + moved + lax.axis_index("i")

    spec = PartitionSpec("i")
    return jax.shard_map(body, mesh=mesh, in_specs=spec, out_specs=spec)(x)


PROGRAMS = {
    "barrier": (barrier, f32(3), f32(2)),
    "branches": (branches, s32(), f32(3, 4)),
    "calls": (calls, f32(3), f32(3)),
    "composite": (composite, f32(3, 4)),
    "constants": (constants,),
    "convolutions": (convolutions, f32(1, 6, 5, 2), f32(3, 2, 2, 4)),
    "devices": (devices, f32(8, 4)),
    "dynamic": (dynamic, f32(4, 6), s32(), s32()),
    "elements": (elements, f32(3, 2), s32(5)),
    "indexed": (indexed, f32(7, 5), s32(7), f32(7, 5)),
    "libraries": (libraries, f32(3, 3), f32(3, 4)),
    "loops": (loops, f32(4, 3), s32()),
    "moves": (moves, f32(3, 4), f32(4, 5)),
    "products": (products, f32(2, 3, 4), f32(2, 4, 5), f32(4)),
    "reductions": (reductions, f32(3, 4)),
    "sorts": (sorts, f32(3, 4), s32(3, 4)),
    "stretch": (stretch, f32(4, 5)),
    "windows": (windows, f32(2, 6, 4)),
}
# From HLO text.
SOURCES = ("attributes", "notes")
# Also in the generic form.
GENERIC = {"branches", "calls", "convolutions", "dynamic", "indexed", "loops", "moves", "products", "reductions"}


def write_module(name, module, serialized):
    options = _hlo.HloPrintOptions()
    options.print_large_constants = True
    (FOLDER / f"{name}.hlo.txt").write_text(module.to_string(options))
    (FOLDER / f"{name}.pb").write_bytes(serialized)


def main():
    for name in sys.argv[1:] or [*PROGRAMS, *SOURCES]:
        if name in SOURCES:
            module = _hlo.hlo_module_from_text((FOLDER / f"{name}.source.txt").read_text())
            write_module(name, module, module.as_serialized_hlo_module_proto())
            continue
        function, *arguments = PROGRAMS[name]
        lowered = jax.jit(function, keep_unused=True).lower(*arguments)
        hlo = lowered.compiler_ir("hlo")
        write_module(name, hlo.get_hlo_module(), hlo.as_serialized_hlo_module_proto())
        (FOLDER / f"{name}.mlir").write_text(lowered.as_text(dialect="stablehlo"))
        if name in GENERIC:
            operation = lowered.compiler_ir("stablehlo").operation
            (FOLDER / f"{name}.generic.mlir").write_text(operation.get_asm(print_generic_op_form=True))


if __name__ == "__main__":
    main()
