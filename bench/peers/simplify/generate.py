#!/usr/bin/env python3
"""Makes index expressions such as tensor programs yield, for comparing simplifiers.

    generate.py [--seed N] [--each N] > corpus.txt

One expression a line, with the bounds of its variables. Each family, named in a comment before it, builds
its expressions as a compiler would: from shapes, permutations, tile sizes and launch dimensions, by
composing the index functions of the operations without simplifying in between. The same seed gives the
same bytes.
"""

import argparse
import math
import random

import expression as ex

SMALL_DOMAIN = 20_000
LONGEST_LINE = 900

# ---- expressions ----


class Index:
    """An expression with Python's operators."""

    def __init__(self, node):
        self.node = node

    @staticmethod
    def node_of(value):
        return value.node if isinstance(value, Index) else ex.number(value)

    def binary(self, operator, other, swapped=False):
        a, b = self.node, Index.node_of(other)
        return Index((operator, b, a) if swapped else (operator, a, b))

    def __add__(self, other):
        return self if isinstance(other, int) and other == 0 else self.binary("+", other)

    def __radd__(self, other):
        return self.binary("+", other, swapped=True) if other != 0 else self

    def __sub__(self, other):
        return self if isinstance(other, int) and other == 0 else self.binary("-", other)

    def __rsub__(self, other):
        return self.binary("-", other, swapped=True)

    def __mul__(self, other):
        return self if isinstance(other, int) and other == 1 else self.binary("*", other)

    def __floordiv__(self, other):
        return self if other == 1 else self.binary("floordiv", other)

    def __mod__(self, other):
        return self.binary("mod", other)

    def ceildiv(self, other):
        return self.binary("ceildiv", other)

    def min(self, other):
        return self.binary("min", other)

    def max(self, other):
        return self.binary("max", other)


def clamp(index, low, high):
    return index.max(low).min(high)


def variables(shape):
    """d0, d1, … as indices of an array of this shape, and their bounds."""
    indices = [Index(ex.variable(f"d{i}")) for i in range(len(shape))]
    return indices, [(0, size - 1) for size in shape]


def total(terms):
    result = terms[0]
    for term in terms[1:]:
        result = result + term
    return result


def strides(shape):
    result = [1]
    for size in reversed(shape[1:]):
        result.append(result[-1] * size)
    return result[::-1]


def linearise(indices, shape):
    """The row-major position; sizes 1 are kept, since programs have them."""
    return total([index * stride for index, stride in zip(indices, strides(shape))])


def delinearise(position, shape, keep_first_mod=False):
    """The indices of the element at a row-major position."""
    result = []
    for axis, stride in enumerate(strides(shape)):
        index = position // stride
        result.append(index % shape[axis] if axis > 0 or keep_first_mod else index)
    return result


def delinearise_by_remainders(position, shape):
    """The same, taking the remainder first: (p mod (size * stride)) floordiv stride."""
    result = []
    for axis, stride in enumerate(strides(shape)):
        outer = position % (shape[axis] * stride) if axis > 0 else position
        result.append(outer // stride)
    return result


def delinearise_step_by_step(position, shape):
    """The same, innermost first: take the remainder, go on with the quotient."""
    result = []
    rest = position
    for size in reversed(shape[1:]):
        result.append(rest % size)
        rest = rest // size
    return [*result, rest][::-1]


# ---- what programs are made of ----

SIZES = [2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 15, 16, 20, 24, 28, 32]
LARGE_SIZES = [49, 56, 64, 96, 100, 112, 128, 197, 224, 256, 384, 512, 768, 1000, 1024, 2048, 3072, 4096, 50257]
TILES = [2, 3, 4, 6, 8, 12, 16, 32, 64]


class Programs:
    """Random shapes and parameters."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def chance(self, share):
        return self.random.random() < share

    def pick(self, values):
        return self.random.choice(values)

    def between(self, low, high):
        return self.random.randint(low, high)

    def shape(self, rank):
        """Mostly of few elements, sometimes of many."""
        sizes = SIZES + LARGE_SIZES if self.chance(0.15) else SIZES
        limit = 1 << 40 if sizes is not SIZES else SMALL_DOMAIN
        while True:
            shape = [self.pick(sizes) for _ in range(rank)]
            if math.prod(shape) <= limit:
                return shape

    def factors(self, count, parts):
        """Sizes above 1 whose product is `count`: at most `parts` of them, in random order."""
        primes = []
        rest, prime = count, 2
        while rest > 1:
            while rest % prime == 0:
                primes.append(prime)
                rest //= prime
            prime += 1
            if prime * prime > rest > 1:
                primes.append(rest)
                break
        groups = [1] * min(parts, max(1, len(primes)))
        self.random.shuffle(primes)
        for place, prime in enumerate(primes):
            groups[place if place < len(groups) else self.random.randrange(len(groups))] *= prime
        self.random.shuffle(groups)
        return groups

    def divisor(self, count):
        """A divisor of `count`, proper where there is one."""
        divisors = [n for n in range(2, min(count, 5000)) if count % n == 0]
        return self.pick(divisors) if divisors else count

    def permutation(self, rank):
        return self.random.sample(range(rank), rank)

    def delinearise(self, position, shape):
        how = self.pick([delinearise, delinearise, delinearise_by_remainders, delinearise_step_by_step])
        return how(position, shape)

    def component(self, indices, shape):
        """One index, or the position that all of them have in memory."""
        return linearise(indices, shape) if self.chance(0.25) else self.pick(indices)


# Each family answers (expression, bounds).


def reshape_split_and_merge(p):
    """Reshapes that only merge neighbours or split a dimension."""
    shape = p.shape(p.between(2, 4))
    indices, bounds = variables(shape)
    at = p.between(0, len(shape) - 2)
    inner = shape[:at] + [shape[at] * shape[at + 1]] + shape[at + 2 :]
    merged = indices[:at] + [indices[at] * shape[at + 1] + indices[at + 1]] + indices[at + 2 :]
    axis = p.between(0, len(inner) - 1)
    tile = p.divisor(inner[axis])
    split = [inner[axis] // tile, tile]
    parts = p.delinearise(merged[axis], split)
    result = merged[:axis] + parts + merged[axis + 1 :]
    return p.component(result, inner[:axis] + split + inner[axis + 1 :]), bounds


def reshape(p):
    """One reshape between random factorisations of the same number of elements."""
    shape = p.shape(p.between(2, 4))
    indices, bounds = variables(shape)
    inner = p.factors(math.prod(shape), p.between(2, 4))
    return p.component(p.delinearise(linearise(indices, shape), inner), inner), bounds


def reshape_chain(p):
    """Two or three reshapes one after another."""
    shape = p.shape(p.between(2, 3))
    indices, bounds = variables(shape)
    for _ in range(p.between(2, 3)):
        inner = p.factors(math.prod(shape), p.between(2, 3))
        indices = p.delinearise(linearise(indices, shape), inner)
        shape = inner
    return p.component(indices, shape), bounds


def reshape_round_trip(p):
    """To another shape and back."""
    shape = p.shape(p.between(2, 3))
    indices, bounds = variables(shape)
    other = p.factors(math.prod(shape), p.between(2, 3))
    there = p.delinearise(linearise(indices, shape), other)
    return p.component(p.delinearise(linearise(there, other), shape), shape), bounds


def reshape_transpose(p):
    """Reshape, transpose, reshape."""
    shape = p.shape(p.between(2, 4))
    indices, bounds = variables(shape)
    for level in range(p.between(1, 2)):
        order = p.permutation(len(shape))
        indices = [indices[i] for i in order]
        shape = [shape[i] for i in order]
        inner = p.factors(math.prod(shape), p.between(2, 3))
        indices = p.delinearise(linearise(indices, shape), inner)
        shape = inner
    return p.component(indices, shape), bounds


def bitcast_layouts(p):
    """An element's position in one layout, and the index that it has in another."""
    shape = p.shape(p.between(2, 4))
    indices, bounds = variables(shape)
    order = p.permutation(len(shape))
    position = linearise([indices[i] for i in order], [shape[i] for i in order])
    other = p.permutation(len(shape))
    return p.component(p.delinearise(position, [shape[i] for i in other]), [shape[i] for i in other]), bounds


def tile(p):
    """The tile that an element lies in, and its place in the tile."""
    shape = p.shape(p.between(1, 3))
    indices, bounds = variables(shape)
    position = linearise(indices, shape)
    size = p.pick(TILES)
    inner, outer = position % size, position // size
    return p.pick([inner, outer, outer * p.between(2, 70) + inner, inner * p.between(2, 70) + outer]), bounds


def tile_of_tile(p):
    """Tiles cut into smaller tiles; the parts rejoined in part, in full or in another order."""
    shape = p.shape(p.between(1, 3))
    indices, bounds = variables(shape)
    position = linearise(indices, shape)
    small, factor = p.pick(TILES), p.pick([2, 3, 4, 5, 8])
    large = small * factor
    outer = position // large
    middle = p.pick([(position % large) // small, (position // small) % factor])
    inner = p.pick([position % small, (position % large) % small])
    return p.pick(
        [
            outer * large + middle * small + inner,
            outer * factor + middle,
            middle * small + inner,
            outer * large + inner,
            outer * large + inner * factor + middle,
            (outer * factor + middle) // p.pick([2, factor]),
            (middle * small + inner) // p.pick([2, small]),
            (outer + middle * p.between(2, 9)) % p.pick(TILES),
        ]
    ), bounds


def tiled_layout(p):
    """The position in a layout of tiles, as accelerators have it, read back as a row-major index."""
    rows, columns = p.pick([4, 6, 8, 12, 16, 24, 32]), p.pick([8, 12, 16, 24, 32, 64])
    tile_rows, tile_columns = p.divisor(rows), p.divisor(columns)
    (r, c), bounds = variables([rows, columns])
    position = linearise(
        [r // tile_rows, c // tile_columns, r % tile_rows, c % tile_columns],
        [rows // tile_rows, columns // tile_columns, tile_rows, tile_columns],
    )
    if p.chance(0.4):
        return position, bounds
    return p.component(p.delinearise(position, [rows, columns]), [rows, columns]), bounds


def slice_stride(p):
    """A strided slice of a reshaped array."""
    shape = p.shape(p.between(1, 3))
    indices, bounds = variables(shape)
    starts = [p.between(0, 6) for _ in shape]
    steps = [p.pick([1, 1, 2, 3, 4]) for _ in shape]
    full = [start + step * size for start, step, size in zip(starts, steps, shape)]
    indices = [index * step + start for index, start, step in zip(indices, starts, steps)]
    if p.chance(0.5):
        full = [size + (-size) % 4 for size in full]
    inner = p.factors(math.prod(full), p.between(2, 3))
    return p.component(p.delinearise(linearise(indices, full), inner), inner), bounds


def reverse(p):
    """Reversed dimensions under a reshape."""
    shape = p.shape(p.between(1, 3))
    indices, bounds = variables(shape)
    indices = [(size - 1) - index if p.chance(0.6) else index for index, size in zip(indices, shape)]
    inner = p.factors(math.prod(shape), p.between(2, 3))
    position = linearise(indices, shape)
    indices = p.delinearise(position, inner)
    if p.chance(0.4):
        indices = [(size - 1) - index if p.chance(0.5) else index for index, size in zip(indices, inner)]
    return p.component(indices, inner), bounds


def pad(p):
    """The operand's index under padding, with interior padding, clamped or not."""
    shape = p.shape(p.between(1, 2))
    indices, bounds = variables(shape)
    low, interior = p.between(-4, 9), p.pick([0, 1, 2, 3])
    moved = [(index - low) // (interior + 1) for index in indices]
    if p.chance(0.3):
        moved = [clamp(index, 0, size - 1) for index, size in zip(moved, shape)]
    inner = p.factors(math.prod(shape), p.between(2, 3))
    indices = p.delinearise(linearise(moved, shape), inner)
    return p.pick([*indices, p.pick(indices), (p.pick(variables(shape)[0]) - low) % (interior + 1)]), bounds


def window(p):
    """Windows with strides, padding and dilation, over a reshaped operand."""
    outputs, size = p.pick([5, 7, 8, 14, 16, 28]), p.pick([2, 3, 5, 7])
    channels = p.pick([3, 4, 8, 16])
    stride, dilation, low, base = p.pick([1, 2, 3]), p.pick([1, 1, 2, 3]), p.between(0, 3), p.pick([1, 1, 2, 3])
    (o, k, c), bounds = variables([outputs, size, channels])
    position = o * stride + k * dilation - low
    at = position // base
    count = outputs * stride + size * dilation
    flat = at * channels + c
    return p.pick(
        [
            at,
            position % base,
            at // p.pick(TILES),
            at % p.pick(TILES),
            flat // p.pick([channels, channels * 2, 4]),
            flat % p.pick([channels, channels * 2, 4]),
            clamp(at, 0, count) % p.pick(TILES),
            (clamp(position, 0, count - 1) * channels + c) // channels,
        ]
    ), bounds


def im2col(p):
    """A convolution as a product of matrices: the column number taken apart again."""
    channels, height, width = p.pick([2, 3, 4, 8]), p.pick([1, 2, 3, 5]), p.pick([2, 3, 5])
    rows, columns = p.pick([4, 5, 7, 8]), p.pick([4, 5, 7, 8])
    (m, n), bounds = variables([rows * columns, channels * height * width])
    c, y, x = p.delinearise(n, [channels, height, width])
    oy, ox = p.delinearise(m, [rows, columns])
    stride = p.pick([1, 2])
    iy, ix = oy * stride + y, ox * stride + x
    full = [channels, rows * stride + height, columns * stride + width]
    return p.pick(
        [
            linearise([c, iy, ix], full),
            p.pick(delinearise(linearise([c, iy, ix], full), full)),
            linearise([oy, ox, c], [rows, columns, channels]),
            iy * full[2] + ix,
            linearise([c, y, x], [channels, height, width]) + m,
        ]
    ), bounds


def concatenate(p):
    """The index into a later operand of a concatenation, under a reshape."""
    shape = p.shape(2)
    indices, bounds = variables(shape)
    axis = p.between(0, 1)
    before = p.between(1, shape[axis] - 1)
    bounds[axis] = (before, shape[axis] - 1)
    indices[axis] = indices[axis] - before
    operand = list(shape)
    operand[axis] -= before
    if p.chance(0.5):
        inner = p.factors(math.prod(operand), p.between(2, 3))
        return p.component(p.delinearise(linearise(indices, operand), inner), inner), bounds
    joined = list(shape)
    indices[axis] = indices[axis] + p.pick([before, before * 2, 1])
    joined[axis] += before
    inner = p.factors(math.prod(joined), p.between(2, 3))
    return p.component(p.delinearise(linearise(indices, joined), inner), inner), bounds


def gpu_elements(p):
    """The element that a thread of a block works on: bl * 128 + th, vectors, unrolled loops."""
    threads, vector, unroll = p.pick([32, 64, 128, 256]), p.pick([1, 2, 4]), p.pick([1, 1, 2, 4])
    shape = p.shape(p.between(2, 3)) if p.chance(0.8) else [p.pick(LARGE_SIZES), p.pick(LARGE_SIZES)]
    elements = math.prod(shape)
    blocks = max(1, -(-elements // (threads * vector * unroll)))
    names = ["th", "bl", "vec", "chunk"]
    th, bl, vec, chunk = (Index(ex.variable(name)) for name in names)
    bounds = {"th": threads - 1, "bl": blocks - 1, "vec": vector - 1, "chunk": unroll - 1}
    bounds = {name: (0, high) for name, high in bounds.items()}
    position = bl * threads + th
    if unroll > 1:
        position = position + chunk * (blocks * threads)
    if vector > 1:
        position = position * vector + vec
    how = p.between(0, 3)
    if how == 0:
        return p.pick(p.delinearise(position, shape)), bounds
    if how == 1:
        inner = p.factors(elements, 3)
        return p.pick(p.delinearise(linearise(p.delinearise(position, shape), shape), inner)), bounds
    if how == 2:
        order = p.permutation(len(shape))
        indices = p.delinearise(position, shape)
        return linearise([indices[i] for i in order], [shape[i] for i in order]), bounds
    return linearise(p.delinearise(position, shape), shape), bounds


def gpu_tiled_transpose(p):
    """A transpose through a tile in shared memory: th taken apart, and the block too."""
    tile_rows, tile_columns = p.pick([4, 8, 16, 32]), p.pick([8, 16, 32])
    threads = p.pick([32, 64, 128, 256])
    rows, columns = tile_rows * p.pick([2, 3, 4, 8]), tile_columns * p.pick([2, 3, 4, 5])
    steps = max(1, tile_rows * tile_columns // threads)
    th, bl, step = (Index(ex.variable(name)) for name in ["th", "bl", "step"])
    bounds = {"th": (0, threads - 1), "bl": (0, rows * columns // (tile_rows * tile_columns) - 1), "step": (0, steps - 1)}
    block_row, block_column = bl // (columns // tile_columns), bl % (columns // tile_columns)
    place = step * threads + th
    row = block_row * tile_rows + place // tile_columns
    column = block_column * tile_columns + place % tile_columns
    return p.pick(
        [
            row * columns + column,
            column * rows + row,
            (row * columns + column) // p.pick([columns, tile_columns, 4]),
            (row * columns + column) % p.pick([columns, tile_columns, 4]),
            (column * rows + row) % rows,
            (place % tile_columns) * (tile_rows + 1) + place // tile_columns,
            th // 32 * 4 + th % 32 // 8,
            (th // 32 + step * (threads // 32)) * 32 + th % 32,
        ]
    ), bounds


def gpu_reduction(p):
    """Rows reduced by warps: lanes, warps and a loop over the row."""
    threads, row = p.pick([64, 128, 256, 512]), p.pick([64, 96, 128, 160, 256, 384, 512, 1000])
    per_row = p.pick([32, 64])
    rows_per_block = threads // per_row
    vector = p.pick([1, 2, 4])
    th, bl, loop, vec = (Index(ex.variable(name)) for name in ["th", "bl", "loop", "vec"])
    bounds = {
        "th": (0, threads - 1),
        "bl": (0, p.pick([3, 7, 15, 63])),
        "loop": (0, -(-row // (per_row * vector)) - 1),
        "vec": (0, vector - 1),
    }
    at_row = bl * rows_per_block + th // per_row
    at_column = (loop * per_row + th % per_row) * vector + vec
    return p.pick(
        [
            at_row * row + at_column,
            (at_row * row + at_column) // row,
            (at_row * row + at_column) % row,
            at_column // p.pick([32, vector, 8]),
            at_column % p.pick([32, 16, 8]),
            (th % per_row) // 32 + (th // per_row) * (per_row // 32),
            (at_column % 32) + (at_column // 32) * 33,
        ]
    ), bounds


def swizzle(p):
    """Skewed banks, by addition instead of exclusive or."""
    rows, columns = p.pick([4, 8, 16, 32]), p.pick([8, 16, 32])
    (r, c), bounds = variables([rows, columns])
    group = p.pick([2, 4, 8])
    skewed = (c + r * p.pick([1, 1, 2, 3, columns // 2 + 1])) % columns
    chunk = ((c // group + r) % (columns // group)) * group + c % group
    return p.pick(
        [
            skewed,
            r * columns + skewed,
            (r * columns + skewed) // columns,
            (r * columns + skewed) % columns,
            ((r * columns + skewed) % columns - r + columns * rows) % columns,
            r * columns + chunk,
            (r * columns + chunk) // group,
            (r * columns + chunk) % group,
            chunk // group,
            chunk % group,
            (chunk // group - r) % (columns // group),
            (r // 2 * 2 + (r + c) % 2) % p.pick([2, 4]),
        ]
    ), bounds


def quotient_chain(p):
    """Quotients of quotients, with offsets between."""
    shape = p.shape(p.between(1, 3))
    indices, bounds = variables(shape)
    result = linearise(indices, shape) if p.chance(0.6) else total([i * p.between(1, 12) for i in indices])
    for _ in range(p.between(2, 4)):
        result = result // p.pick([2, 3, 4, 5, 6, 8])
        if p.chance(0.5):
            result = result + p.between(-7, 7)
    return result // p.pick([2, 3, 4]), bounds


def remainder_chain(p):
    """Remainders of remainders and of quotients."""
    shape = p.shape(p.between(1, 3))
    indices, bounds = variables(shape)
    result = linearise(indices, shape) if p.chance(0.6) else total([i * p.between(1, 12) for i in indices])
    n = p.pick([2, 3, 4, 6, 8])
    k, m = p.pick([2, 3, 4, 6]), p.pick([2, 3, 5])
    return p.pick(
        [
            (result % (n * k * m)) % (n * k) % n,
            (result % (n * k)) % n + p.between(0, 3),
            (result % (n * k) + p.pick(indices) * n) % n,
            ((result % (n * k)) // n) % k,
            ((result // n) % (k * m)) % k,
            ((result % (n * k * m)) // n) // k,
            ((result // n) % (k * m)) // k,
            (result % n) % (n * k),
            ((result % (n * k)) * m) % (n * m),
            (result % (n * k) + p.between(1, 9)) % n,
        ]
    ), bounds


def common_factor(p):
    """Numerators with a factor in common with the divisor, and a rest that does not carry."""
    shape = p.shape(p.between(2, 3))
    indices, bounds = variables(shape)
    g = p.pick([2, 3, 4, 6, 8])
    n = g * p.pick([2, 3, 4, 5, 7, 8])
    rest = p.between(0, g - 1)
    if p.chance(0.5):
        high = bounds[0][1]
        rest = indices[0] if high < g else indices[0] % g
        indices = indices[1:]
    numerator = total([i * (g * p.between(1, 9)) for i in indices]) + rest
    if p.chance(0.4):
        numerator = numerator + g * p.between(1, 20)
    return p.pick([numerator // n, numerator % n, (numerator % n) // g, numerator // n * n + numerator % n]), bounds


def coefficient_above_divisor(p):
    """Coefficients larger than the divisor, and next to it."""
    shape = p.shape(p.between(1, 3))
    indices, bounds = variables(shape)
    n = p.pick([2, 3, 4, 5, 7, 8, 10, 12, 16])
    numerator = total([i * (n * p.between(0, 5) + p.pick([0, 1, -1, 2, 3])) for i in indices])
    numerator = numerator + p.between(0, 3 * n)
    return p.pick([numerator // n, numerator % n, numerator // n + p.pick(indices), numerator % n * 3]), bounds


def negative(p):
    """Negative offsets and coefficients."""
    shape = p.shape(p.between(1, 3))
    indices, bounds = variables(shape)
    bounds = [(low + shift, high + shift) for (low, high) in bounds for shift in [p.pick([0, 0, -1, -3, -8])]]
    n = p.pick([2, 3, 4, 6, 8, 12])
    numerator = total([i * p.pick([-n - 1, -n, -4, -2, -1, 1, 2, 3, n]) for i in indices]) - p.between(1, 3 * n)
    k = p.pick([2, 3, 4])
    return p.pick(
        [
            numerator // n,
            numerator % n,
            numerator // n * n + numerator % n,
            (numerator // n) // k,
            (numerator % (n * k)) // n,
            (numerator % (n * k)) % n,
            numerator.ceildiv(n),
            (0 - numerator) // n + numerator // n,
        ]
    ), bounds


def clamp_and_divide(p):
    """Clamped indices, as of dynamic slices and edge padding, with quotients inside and outside."""
    shape = p.shape(p.between(1, 2))
    indices, bounds = variables(shape)
    position = linearise(indices, shape) + p.between(-9, 9)
    last = math.prod(shape) - 1
    n = p.pick(TILES)
    inside = clamp(position, 0, last)
    loose = clamp(position, -10, last + 10)
    tight = clamp(position, p.between(0, 4), max(5, last - p.between(0, 4)))
    chosen = p.pick([inside, loose, tight])
    return p.pick(
        [
            chosen // n,
            chosen % n,
            clamp(position // n, 0, last // n),
            clamp(position % n, 0, n - 1),
            clamp(position % (2 * n), 0, n - 1) // p.pick([2, n]),
            chosen // n * n + chosen % n,
            (position % n).min(position // n),
            (position // n).max(0) * n + position % n,
            (position // n).min(p.between(1, 8)).max((position // n).min(0)),
        ]
    ), bounds


def small_products(p):
    """Quotients scaled, and divided again."""
    shape = p.shape(p.between(1, 3))
    indices, bounds = variables(shape)
    position = linearise(indices, shape) if p.chance(0.5) else total([i * p.between(1, 9) for i in indices])
    a, b, n = p.between(2, 6), p.between(2, 6), p.pick([2, 3, 4, 6, 8, 12])
    return p.pick(
        [
            (position * a) // (a * b),
            (position * a) % (a * b),
            (position * a + p.between(0, a - 1)) // (a * b),
            (position * a + p.between(0, a - 1)) % (a * b),
            (position // n * a) // b,
            (position // n * a) % b,
            (position % n * a) // n,
            (position // n * n + p.between(0, n - 1)) // p.pick([n, 2 * n, n * a]),
            (position // n * n * a) // (n * b),
            (position * a) // b + (position * a) % b,
            (position * a) // b * b + (position * a) % b,
        ]
    ), bounds


def rejoin(p):
    """A quotient and its remainder joined again, scaled, in part, and with other terms between."""
    shape = p.shape(p.between(1, 3))
    indices, bounds = variables(shape)
    position = linearise(indices, shape) if p.chance(0.6) else total([i * p.between(1, 9) for i in indices])
    if p.chance(0.3):
        position = position + p.between(-9, 20)
    other = p.pick(indices) * p.between(1, 9)
    n, c, k = p.pick([2, 3, 4, 6, 8, 12]), p.pick([2, 3, 4, 5]), p.between(2, 9)
    return p.pick(
        [
            position % n + position // n * n,
            position // n * n + other + position % n,
            (position // n * n + position % n) * k + other,
            position // n * (n * k) + other + position % n * k,
            (position // n) % c + position // (n * c) * c,
            ((position // n) % c) * n + position % n,
            ((position // n) % c) * n + other + position // (n * c) * (n * c) + position % n,
            position // n * n + (position + p.pick([n, 2 * n, 1])) % n,
            other - position // n * n - position % n,
            position // n * (n * c) + position % n,
            (position // n * n + other + position % n) // p.pick([n, c]),
            position - position // n * n,
            (position - position % n) // n,
        ]
    ), bounds


def sum_of_quotients(p):
    """Sums of several quotients and remainders."""
    shape = p.shape(p.between(2, 3))
    indices, bounds = variables(shape)
    terms = []
    for _ in range(p.between(2, 4)):
        base = p.pick([linearise(indices, shape), p.pick(indices), p.pick(indices) * 2 + p.pick(indices)])
        n = p.pick([2, 3, 4, 6, 8])
        term = p.pick([base // n, base % n])
        terms.append(term * p.pick([1, 1, 2, n, -1, -n]))
    result = total(terms)
    return p.pick([result, result, result // p.pick([2, 3, 4]), result % p.pick([2, 3, 4])]), bounds


def depth_to_space(p):
    """Blocks moved between channels and space."""
    block, channels = p.pick([2, 3, 4]), p.pick([2, 3, 4, 8])
    rows, columns = p.pick([2, 3, 4, 5]), p.pick([2, 3, 4, 5])
    (y, x, c), bounds = variables([rows * block, columns * block, channels])
    depth = ((y % block) * block + x % block) * channels + c
    full = [rows, columns, block * block * channels]
    position = linearise([y // block, x // block, depth], full)
    back = p.delinearise(position, [rows, columns, block, block, channels])
    return p.pick(
        [
            position,
            depth,
            p.pick(back),
            depth // channels,
            depth // (channels * block),
            (depth // channels) % block,
            back[0] * block + back[2],
            back[1] * block + back[3],
            linearise([back[0] * block + back[2], back[1] * block + back[3], back[4]], [rows * block, columns * block, channels]),
        ]
    ), bounds


def roll_and_repeat(p):
    """Rolled, repeated and tiled arrays."""
    size, times = p.pick(SIZES), p.pick([2, 3, 4])
    rows = p.pick(SIZES)
    (r, i), bounds = variables([rows, size * times])
    shift = p.between(1, size - 1)
    rolled = (i + (size - shift)) % size
    repeated, tiled = i // times, i % size
    return p.pick(
        [
            rolled,
            (rolled + shift) % size,
            (rolled + p.between(1, 9)) % size,
            r * size + rolled,
            (r * size + rolled) // size,
            (r * size + tiled) % p.pick([size, 2 * size, 4]),
            (r * size + repeated) // size,
            repeated * times + i % times,
            (r * (size * times) + i) // times % size,
            (tiled * times + r % times) // times,
            ((r + i) % size + size - r % size) % size,
        ]
    ), bounds


def attention_heads(p):
    """Heads split from the features and merged again; grouped heads that share keys."""
    batch, length, heads, features = p.pick([1, 2, 3]), p.pick([4, 5, 8, 16]), p.pick([2, 4, 6, 8, 12]), p.pick([4, 8, 16])
    group = p.divisor(heads)
    (b, s, h), bounds = variables([batch, length, heads * features])
    head, feature = h // features, h % features
    position = linearise([b, head, s, feature], [batch, heads, length, features])
    key = linearise([b, head // group, s, feature], [batch, heads // group, length, features])
    full = [batch * length, heads * features]
    return p.pick(
        [
            position,
            key,
            p.pick(p.delinearise(position, [batch, heads, length, features])),
            p.pick(p.delinearise(key, [batch, heads // group, length, features])),
            p.pick(p.delinearise(position, full)),
            p.pick(p.delinearise(position, [batch * heads, length * features])),
            (head // group) * features + feature,
            head // group * group + head % group,
        ]
    ), bounds


def padded_grid(p):
    """Sizes rounded up to whole tiles, and what falls outside clamped."""
    size, block = p.pick(SIZES + [49, 100, 197]), p.pick([4, 8, 16, 32])
    blocks = -(-size // block)
    rows = p.pick([2, 3, 5, 8])
    (r, b, t), bounds = variables([rows, blocks, block])
    i = b * block + t
    inside = i.min(size - 1)
    padded = blocks * block
    return p.pick(
        [
            (r * padded + i) // padded,
            (r * padded + i) % padded,
            (r * padded + i) // block,
            (r * size + inside) // size,
            (r * size + inside) % size,
            (i + (block - 1)) // block,
            i.ceildiv(block),
            i // block * block + i % block,
            inside // block,
            inside % block,
            (r * size + i) // size,
            (r * padded + i) // block % blocks,
        ]
    ), bounds


def ring_buffer(p):
    """Positions in a cache that wraps around, pages and their places."""
    slots, page, steps = p.pick([4, 8, 12, 16]), p.pick([2, 4, 8]), p.pick([8, 16, 30])
    (step, i), bounds = variables([steps, slots * page])
    at = (step + i) % (slots * page)
    return p.pick(
        [
            at // page,
            at % page,
            at // page * page + at % page,
            (at + slots * page - i) % (slots * page),
            (at // page * (page * 2) + at % page) // (page * 2),
            (step * (slots * page) + at) // page,
            (step * (slots * page) + at) % (slots * page),
            (step * (slots * page) + i) // page % slots,
        ]
    ), bounds


def strided_linear(p):
    """Quotients of linear forms with coefficients of no pattern."""
    shape = p.shape(p.between(1, 4))
    indices, bounds = variables(shape)
    n = p.between(2, 64)
    numerator = total([i * p.between(-20, 60) for i in indices]) + p.between(-50, 200)
    return p.pick([numerator // n, numerator % n, numerator // n % p.between(2, 9), numerator % n // p.between(2, 9)]), bounds


FAMILIES = [
    reshape_split_and_merge,
    reshape,
    reshape_chain,
    reshape_round_trip,
    reshape_transpose,
    bitcast_layouts,
    tile,
    tile_of_tile,
    tiled_layout,
    slice_stride,
    reverse,
    pad,
    window,
    im2col,
    concatenate,
    gpu_elements,
    gpu_tiled_transpose,
    gpu_reduction,
    swizzle,
    quotient_chain,
    remainder_chain,
    common_factor,
    coefficient_above_divisor,
    negative,
    clamp_and_divide,
    small_products,
    rejoin,
    sum_of_quotients,
    depth_to_space,
    roll_and_repeat,
    attention_heads,
    padded_grid,
    ring_buffer,
    strided_linear,
]


def line_of(index, bounds):
    """The line; None if there is nothing to simplify in it."""
    written = ex.text(index.node)
    if not any(word in written for word in ("floordiv", "mod", "ceildiv", "min(", "max(")):
        return None
    if not isinstance(bounds, dict):
        bounds = {f"d{i}": limits for i, limits in enumerate(bounds)}
    domain = ", ".join(f"{name} in [{low}, {high}]" for name, (low, high) in bounds.items())
    line = f"{written}, domain: {domain}"
    return line if len(line) <= LONGEST_LINE else None


def lines_of(family, seed, count):
    """Distinct lines; fewer than `count` where the family has no more."""
    programs = Programs(f"{seed} {family.__name__}")
    found = {}
    for _ in range(count * 50):
        line = line_of(*family(programs))
        if line is not None:
            found[line] = None
        if len(found) == count:
            break
    return list(found)


def main():
    parser = argparse.ArgumentParser(description="Makes index expressions for comparing simplifiers.")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--each", type=int, default=110, help="expressions of each family")
    arguments = parser.parse_args()
    print(f"# Made by generate.py --seed {arguments.seed} --each {arguments.each}.")
    seen = set()
    for family in FAMILIES:
        print(f"# {family.__name__}: {family.__doc__.splitlines()[0]}")
        for line in lines_of(family, arguments.seed, arguments.each):
            if line not in seen:
                print(line)
                seen.add(line)


if __name__ == "__main__":
    main()
