"""dot and convolution. Values have few digits, so that their sums are exact in any order, unless a program says otherwise."""

import itertools

from building import Group, identifier, rough_values, ulps, values
from tensors import name_of, tensor

nan, inf = float("nan"), float("inf")


def programs():
    group = Group("contractions")
    dots(group)
    convolutions(group)
    return group


# ---- dot ----


def dims_text(**dims):
    """`, lhs_batch_dims={0}, …` of those that are not empty."""
    return "".join(f", {name}_dims={{{','.join(map(str, d))}}}" for name, d in dims.items() if d)


def add_dot(group, name, a, b, contracting, batch=((), ()), result=None, bound="exact", more=""):
    result = result or name_of(a)
    sizes = [a.shape[d] for d in batch[0]]
    sizes += [s for d, s in enumerate(a.shape) if d not in batch[0] and d not in contracting[0]]
    sizes += [s for d, s in enumerate(b.shape) if d not in batch[1] and d not in contracting[1]]
    text = f"{result}[{','.join(map(str, sizes))}] dot(p0, p1)"
    text += dims_text(lhs_batch=batch[0], rhs_batch=batch[1])
    for side, dims in (("lhs", contracting[0]), ("rhs", contracting[1])):
        text += f", {side}_contracting_dims={{{','.join(map(str, dims))}}}"
    group.add(identifier("dot", name), text + more, [a, b], bound)


def dots(group):
    # Few terms for the narrow types: their sums must not leave them.
    for kind in ("s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64", "c64", "c128",
                 "f8e5m2", "f8e4m3fn", "s4"):
        if kind in ("f8e5m2", "f8e4m3fn", "s4"):
            a, b = tensor(kind, [[1, 0, -1], [2, 1, 0]]), tensor(kind, [[1, 2], [0, -1], [1, 1]])
        else:
            a, b = values(kind, 2, 3), values(kind, 3, 2, seed=1)
        add_dot(group, kind, a, b, ((1, ), (0, )))
    for kind, result in (("s8", "s32"), ("u8", "s32"), ("u8", "u32"), ("s16", "s32"), ("s8", "s16"),
                         ("bf16", "f32"), ("f16", "f32"), ("f8e4m3fn", "f32"), ("f8e5m2", "bf16"), ("s4", "s32"),
                         ("f32", "f64"), ("s8", "f32")):
        add_dot(group,
                identifier(kind, "to", result),
                values(kind, 2, 3),
                values(kind, 3, 2, seed=1), ((1, ), (0, )),
                result=result)
    add_dot(group, "mixed_s8_u8", values("s8", 2, 3), values("u8", 3, 2), ((1, ), (0, )), result="s32")
    add_dot(group, "mixed_bf16_f32", values("bf16", 2, 3), values("f32", 3, 2), ((1, ), (0, )), result="f32")
    add_dot(group, "wraps_s8", tensor("s8", [[127, 127, 2]]), tensor("s8", [[127], [127], [-128]]), ((1, ), (0, )))
    add_dot(group, "wraps_s32", tensor("s32", [2147483647, 2]), tensor("s32", [3, -2147483648]), ((0, ), (0, )))
    p, q = values("s32", 2, 3, 4), values("s32", 3, 4, 2, seed=3)
    add_dot(group, "two_contracting", p, q, ((1, 2), (0, 1)))
    add_dot(group, "two_contracting_swapped", p, values("s32", 4, 2, 3, seed=2), ((1, 2), (2, 0)))
    add_dot(group, "first_contracting", values("s32", 3, 2), values("s32", 3, 4), ((0, ), (0, )))
    add_dot(group, "last_contracting", values("s32", 2, 3), values("s32", 4, 3), ((1, ), (1, )))
    add_dot(group, "middle_contracting", p, values("s32", 2, 3, 2), ((1, ), (1, )))
    add_dot(group, "none_contracting", values("s32", 2), values("s32", 3), ((), ()))
    add_dot(group, "scalars", tensor("s32", 3), tensor("s32", 4), ((), ()))
    add_dot(group, "scalar_and_matrix", tensor("s32", 3), values("s32", 2, 2), ((), ()))
    add_dot(group, "vectors", values("s32", 5), values("s32", 5, seed=1), ((0, ), (0, )))
    add_dot(group, "matrix_and_vector", values("s32", 2, 3), values("s32", 3), ((1, ), (0, )))
    add_dot(group, "vector_and_matrix", values("s32", 3), values("s32", 3, 2), ((0, ), (0, )))
    add_dot(group, "batch", values("s32", 2, 3, 4), values("s32", 2, 4, 2), ((2, ), (1, )), ((0, ), (0, )))
    add_dot(group, "batch_last", values("s32", 3, 4, 2), values("s32", 4, 2, 2), ((1, ), (0, )), ((2, ), (2, )))
    add_dot(group, "batch_without_contracting", values("s32", 2, 3), values("s32", 2, 4), ((), ()), ((0, ), (0, )))
    add_dot(group, "two_batch", values("s32", 2, 3, 2, 2), values("s32", 2, 3, 2), ((3, ), (2, )), ((0, 1), (0, 1)))
    add_dot(group, "two_batch_swapped", values("s32", 2, 3, 2, 2), values("s32", 3, 2, 2), ((3, ), (2, )),
            ((0, 1), (1, 0)))
    add_dot(group, "only_batch", values("s32", 4), values("s32", 4), ((), ()), ((0, ), (0, )))
    add_dot(group, "batch_and_two_contracting", values("s32", 2, 2, 3, 2), values("s32", 3, 2, 2, 2),
            ((1, 2), (2, 0)), ((0, ), (1, )))
    for name, a, b, contracting in (("empty_contracting", (2, 0), (0, 3), ((1, ), (0, ))),
                                    ("empty_rows", (0, 3), (3, 2), ((1, ), (0, ))), ("empty_columns", (2, 3),
                                                                                     (3, 0), ((1, ), (0, )))):
        add_dot(group, name, values("f32", *a), values("f32", *b), contracting)
    add_dot(group, "special", tensor("f32", [[nan, 1], [inf, 1], [inf, -inf], [0, 1]]),
            tensor("f32", [[1, 0], [2, 1]]), ((1, ), (0, )))
    add_dot(group,
            "precision_highest",
            values("f32", 2, 3),
            values("f32", 3, 2), ((1, ), (0, )),
            more=", operand_precision={highest,highest}")
    add_dot(group,
            "algorithm",
            values("f32", 2, 3),
            values("f32", 3, 2), ((1, ), (0, )),
            more=", algorithm=dot_f32_f32_f32")
    for kind, bound in (("f32", ulps(8, 2e-6)), ("f64", ulps(8, 2e-15)), ("c64", ulps(8, 4e-6)), ("c128",
                                                                                                  ulps(8, 4e-15))):
        add_dot(group,
                f"rough_{kind}",
                rough_values(kind, 3, 8),
                rough_values(kind, 8, 4, seed=1), ((1, ), (0, )),
                bound=bound)
    # Modes of the groups of a ragged dot: the rows of either, the contracted dimension, the batch.
    for name, result, dims, shapes, sizes in (
        ("rows", (5, 2), ((1, ), (1, ), (0, ), (0, )), ((5, 3), (3, 3, 2)), [2, 0, 3]),
        ("rows_left_over", (5, 2), ((1, ), (1, ), (0, ), (0, )), ((5, 3), (3, 3, 2)), [2, 1, 1]),
        ("contracting", (3, 2, 4), ((1, ), (0, ), (1, ), ()), ((2, 5), (5, 4)), [2, 0, 3]),
    ):
        text = f"f32[{','.join(map(str, result))}] ragged-dot(p0, p1, p2)"
        text += dims_text(lhs_contracting=dims[0], rhs_contracting=dims[1], lhs_ragged=dims[2], rhs_group=dims[3])
        arguments = [values("f32", *shape) for shape in shapes] + [tensor("s32", sizes)]
        group.add(identifier("ragged_dot", name), text, arguments)


# ---- convolution ----


def add_convolution(group, name, a, b, labels, window, groups=1, batch_groups=1, result=None, bound="exact"):
    """`window` maps stride, pad, lhs_dilate, rhs_dilate, rhs_reversal to lists; the size is the kernel's."""
    left, rest = labels.split("_")
    right, out = rest.split("->")
    spatial = sorted(c for c in left if c.isdigit())
    size = [b.shape[right.index(c)] for c in spatial]
    sizes = {"b": a.shape[left.index("b")] // batch_groups, "f": b.shape[right.index("o")]}
    for i, c in enumerate(spatial):
        n = a.shape[left.index(c)]
        low, high = window.get("pad", [(0, 0)] * len(spatial))[i]
        padded = (0 if n == 0 else (n - 1) * window.get("lhs_dilate", [1] * 9)[i] + 1) + low + high
        reach = (size[i] - 1) * window.get("rhs_dilate", [1] * 9)[i] + 1
        sizes[c] = 0 if padded < reach else (padded - reach) // window.get("stride", [1] * 9)[i] + 1
    shape = ",".join(str(sizes[c]) for c in out)

    def part(value):
        return "x".join(f"{v[0]}_{v[1]}" if isinstance(v, tuple) else str(v) for v in value)

    text = f"{result or name_of(a)}[{shape}] convolution(p0, p1)"
    if spatial:
        text += ", window={" + " ".join(f"{k}={part(v)}" for k, v in {"size": size, **window}.items()) + "}"
    text += f", dim_labels={labels}"
    if groups != 1:
        text += f", feature_group_count={groups}"
    if batch_groups != 1:
        text += f", batch_group_count={batch_groups}"
    group.add(identifier("convolution", name), text, [a, b], bound)


def convolutions(group):
    for kind in ("f32", "f64", "f16", "bf16", "s8", "s32", "u8", "c64", "s64"):
        add_convolution(group, kind, values(kind, 1, 4, 4, 2), values(kind, 2, 2, 2, 2, seed=1), "b01f_01io->b01f",
                        {})
    for kind, result in (("s8", "s32"), ("bf16", "f32"), ("u8", "s32")):
        add_convolution(group,
                        identifier(kind, "to", result),
                        values(kind, 1, 4, 4, 2),
                        values(kind, 2, 2, 2, 2, seed=1),
                        "b01f_01io->b01f", {},
                        result=result)
    # Every order of the input's, the kernel's and the result's dimensions, of one spatial dimension.
    sizes = {"b": 2, "f": 2, "0": 4, "i": 2, "o": 3}
    for left in itertools.permutations("bf0"):
        labels = f"{''.join(left)}_io0->b0f"
        add_convolution(group, identifier("input", *left), values("f32", *(sizes[c] for c in left)),
                        values("f32", 2, 3, 2, seed=1), labels, {"pad": [(1, 0)]})
    for right in itertools.permutations("io0"):
        labels = f"bf0_{''.join(right)}->bf0"
        add_convolution(group, identifier("kernel", *right), values("f32", 2, 2, 4),
                        values("f32", *(2 if c == "0" else sizes[c] for c in right), seed=1), labels,
                        {"pad": [(1, 0)]})
    for out in itertools.permutations("bf0"):
        add_convolution(group, identifier("result", *out), values("f32", 2, 2, 4), values("f32", 2, 3, 2, seed=1),
                        f"bf0_io0->{''.join(out)}", {"pad": [(1, 0)]})
    add_convolution(group, "spatial_swapped", values("f32", 1, 3, 4, 2), values("f32", 3, 2, 2, 1, seed=1),
                    "b10f_01io->b01f", {})
    add_convolution(group, "spatial_swapped_kernel", values("f32", 1, 3, 4, 2), values("f32", 3, 2, 2, 1, seed=1),
                    "b01f_10io->b01f", {})
    add_convolution(group, "spatial_swapped_result", values("f32", 1, 3, 4, 2), values("f32", 3, 2, 2, 1, seed=1),
                    "b01f_01io->f10b", {})
    a, b = values("f32", 1, 5, 5, 1), values("f32", 3, 2, 1, 2, seed=1)
    for name, window in (("strided", dict(stride=[2, 3])), ("padded", dict(pad=[(1, 1), (0, 2)])),
                         ("negative_padding", dict(pad=[(-1, 0), (0, -2)])),
                         ("lhs_dilated", dict(lhs_dilate=[2, 3])), ("rhs_dilated", dict(rhs_dilate=[2, 2])),
                         ("reversed", dict(rhs_reversal=[1, 1])), ("reversed_first", dict(rhs_reversal=[1, 0])),
                         ("transposed", dict(pad=[(2, 2), (1, 1)], lhs_dilate=[2, 2])), ("negative_transposed",
                                                                                         dict(pad=[(-1, -1),
                                                                                                   (-2, 0)],
                                                                                              lhs_dilate=[2, 2])),
                         ("everything",
                          dict(stride=[2, 1],
                               pad=[(2, 1), (-1, 3)],
                               lhs_dilate=[2, 1],
                               rhs_dilate=[1, 2],
                               rhs_reversal=[0, 1])), ("no_result", dict(rhs_dilate=[3, 1]))):
        add_convolution(group, name, a, b, "b01f_01io->b01f", window)
    for name, a, b, labels, window, groups in (
        ("feature_groups", values("f32", 1, 4, 4, 4), values("f32", 2, 2, 2, 4, seed=1), "b01f_01io->b01f", {}, 2),
        ("depthwise", values("f32", 2, 4, 3), values("f32", 2, 1, 3, seed=1), "b0f_0io->b0f", {"pad": [(1, 0)]}, 3),
        ("depthwise_multiplied", values("f32", 2, 4, 3), values("f32", 2, 1, 6, seed=1), "b0f_0io->b0f",
         {"pad": [(1, 0)]}, 3),
        ("batch_groups", values("f32", 4, 4, 2), values("f32", 2, 2, 4, seed=1), "b0f_0io->b0f", {}, 2),
        ("batch_groups_all", values("f32", 3, 4, 2), values("f32", 2, 2, 3, seed=1), "b0f_0io->b0f",
         {"pad": [(1, 1)]}, 3),
        ("feature_groups_s32", values("s32", 1, 4, 4), values("s32", 2, 2, 6, seed=1), "b0f_0io->b0f",
         {"stride": [2]}, 2),
        ("batch_groups_s32", values("s32", 4, 4, 2), values("s32", 2, 2, 4, seed=1), "b0f_0io->b0f",
         {"rhs_dilate": [2]}, 2),
    ):
        kind = "batch_groups" if name.startswith("batch") else "groups"
        add_convolution(group, name, a, b, labels, window, **{kind: groups})
    add_convolution(group, "no_spatial", values("f32", 2, 3), values("f32", 3, 2, seed=1), "bf_io->bf", {})
    add_convolution(group, "three_spatial", values("f32", 1, 3, 3, 2, 1), values("f32", 2, 2, 2, 1, 2, seed=1),
                    "b012f_012io->b012f", {"pad": [(0, 0), (1, 0), (0, 1)]})
    add_convolution(group, "empty_batch", values("f32", 0, 4, 2), values("f32", 2, 2, 3), "b0f_0io->b0f", {})
    add_convolution(group, "empty_features", values("f32", 2, 4, 0), values("f32", 2, 0, 3), "b0f_0io->b0f", {})
    add_convolution(group, "empty_spatial", values("f32", 2, 0, 2), values("f32", 2, 2, 3), "b0f_0io->b0f",
                    {"pad": [(2, 1)]})
    add_convolution(group, "special",
                    tensor("f32", [1, nan, 2, inf, 0, 1]).reshape(1, 6, 1),
                    tensor("f32", [1, 0]).reshape(2, 1, 1), "b0f_0io->b0f", {})
    add_convolution(group,
                    "rough",
                    rough_values("f32", 1, 4, 4, 3),
                    rough_values("f32", 2, 2, 3, 2, seed=1),
                    "b01f_01io->b01f", {},
                    bound=ulps(8, 4e-6))
    add_convolution(group,
                    "rough_f64",
                    rough_values("f64", 1, 4, 4, 3),
                    rough_values("f64", 2, 2, 3, 2, seed=1),
                    "b01f_01io->b01f", {},
                    bound=ulps(8, 4e-15))
