"""reduce-window and select-and-scatter."""

from building import Group, combiner, computation, identifier, rough_values, ulps, values
from tensors import name_of, tensor

nan, inf = float("nan"), float("inf")


def result_sizes(sizes, window):
    """The sizes of a reduce-window's result. `window` maps size, stride, pad, lhs_dilate, rhs_dilate to lists."""
    result = []
    for i, size in enumerate(sizes):
        low, high = window.get("pad", [(0, 0)] * len(sizes))[i]
        base = window.get("lhs_dilate", [1] * len(sizes))[i]
        dilation = window.get("rhs_dilate", [1] * len(sizes))[i]
        stride = window.get("stride", [1] * len(sizes))[i]
        padded = (0 if size == 0 else (size - 1) * base + 1) + low + high
        reach = (window["size"][i] - 1) * dilation + 1
        result.append(0 if padded < reach else (padded - reach) // stride + 1)
    return result


def window_text(window):
    def part(value):
        return "x".join(f"{v[0]}_{v[1]}" if isinstance(v, tuple) else str(v) for v in value)

    return "window={" + " ".join(f"{key}={part(value)}" for key, value in window.items()) + "}"


WINDOWS = {
    "plain":
    dict(size=[1, 2]),
    "both":
    dict(size=[2, 3]),
    "strided":
    dict(size=[2, 2], stride=[2, 3]),
    "padded":
    dict(size=[3, 3], pad=[(1, 1), (1, 1)]),
    "padded_unevenly":
    dict(size=[2, 3], pad=[(0, 2), (3, 0)]),
    "negative_padding":
    dict(size=[2, 2], pad=[(-1, 0), (0, -2)]),
    "window_dilated":
    dict(size=[2, 2], rhs_dilate=[2, 3]),
    "base_dilated":
    dict(size=[2, 2], lhs_dilate=[2, 3]),
    "all":
    dict(size=[2, 3], stride=[2, 1], pad=[(1, 2), (0, 1)], lhs_dilate=[2, 1], rhs_dilate=[1, 2]),
    "negative_and_dilated":
    dict(size=[2, 2], stride=[1, 2], pad=[(-1, 1), (1, -2)], lhs_dilate=[2, 2], rhs_dilate=[2, 1]),
    "whole":
    dict(size=[4, 5]),
    "larger_than_operand":
    dict(size=[6, 2]),
    "only_padding":
    dict(size=[1, 2], pad=[(0, 0), (4, 4)], stride=[1, 2]),
    "stride_beyond":
    dict(size=[2, 2], stride=[9, 9]),
}


def add_window(group, name, operand, initial, opcode, window, bound="exact"):
    kind = name_of(operand)
    sizes = ",".join(map(str, result_sizes(operand.shape, window)))
    group.add(identifier("reduce_window", name),
              f"{kind}[{sizes}] reduce-window(p0, p1), {window_text(window)}, to_apply={opcode}_{kind}",
              [operand, tensor(kind, initial)],
              bound,
              computations=[combiner(opcode, kind)])


def programs():
    group = Group("windows")
    p = values("s32", 4, 5)
    for name, window in WINDOWS.items():
        add_window(group, name, p, 0, "add", window)
        # The initial value counts once for each window.
        add_window(group, f"{name}_initial", p, 1000, "add", window)
        add_window(group, f"{name}_maximum_f32", values("f32", 4, 5), -inf, "maximum", window)
    for kind in ("s8", "u8", "s64", "u32", "f16", "bf16", "f64", "c64", "s16"):
        add_window(group, f"add_{kind}", values(kind, 4, 3), 0, "add", dict(size=[2, 2], pad=[(1, 0), (0, 1)]))
        if kind != "c64":
            add_window(group, f"minimum_{kind}", values(kind, 4, 3), 9, "minimum",
                       dict(size=[2, 2], pad=[(1, 0), (0, 1)]))
        add_window(group, f"multiply_{kind}", tensor(kind, [[1, 2, 3], [2, 1, 2], [1, 1, 4], [3, 1, 0]]), 1,
                   "multiply", dict(size=[2, 2], stride=[1, 1]))
    add_window(group, "or_pred", values("pred", 4, 3), 0, "or", dict(size=[2, 2]))
    add_window(group, "and_pred", values("pred", 4, 3), 1, "and", dict(size=[2, 2], pad=[(1, 1), (0, 0)]))
    add_window(group, "maximum_nan", tensor("f32", [1, nan, 3, 2, -inf, inf, -0.0, 0]), -inf, "maximum",
               dict(size=[2]))
    add_window(group, "add_special", tensor("f32", [1, nan, 3, 2, -inf, inf, -0.0, -0.0]), -0.0, "add",
               dict(size=[2]))
    add_window(group, "empty", values("s32", 0, 3), 5, "add", dict(size=[1, 2]))
    add_window(group, "empty_padded", values("s32", 0, 3), 5, "add", dict(size=[2, 2], pad=[(2, 1), (0, 0)]))
    add_window(group, "one", values("s32", 7), 5, "add", dict(size=[3], stride=[2], pad=[(2, 2)]))
    add_window(group, "running_sum", values("s32", 8), 0, "add", dict(size=[8], pad=[(7, 0)]))
    add_window(group, "running_sum_reversed", values("s32", 8), 0, "add", dict(size=[8], pad=[(0, 7)]))
    add_window(group, "three", values("s32", 2, 3, 4), 0, "add",
               dict(size=[2, 1, 3], stride=[1, 2, 1], pad=[(1, 0), (0, 1), (1, 1)]))
    add_window(group, "rough_f32", rough_values("f32", 3, 7), 0, "add", dict(size=[2, 4], pad=[(1, 0), (2, 1)]),
               ulps(4, 1e-6))
    add_window(group, "rough_f64", rough_values("f64", 3, 7), 0, "add", dict(size=[2, 4], pad=[(1, 0), (2, 1)]),
               ulps(4, 1e-14))
    both = computation("both", {"a": "s32[]", "b": "f32[]", "c": "s32[]", "d": "f32[]"},
                       ["x = s32[] add(a, c)", "y = f32[] minimum(b, d)"], "(s32[], f32[]) tuple(x, y)")
    window = dict(size=[2, 3], stride=[1, 2], pad=[(1, 0), (0, 1)])
    sizes = ",".join(map(str, result_sizes((4, 5), window)))
    group.add("reduce_window_variadic",
              f"(s32[{sizes}], f32[{sizes}]) reduce-window(p0, p1, p2, p3), {window_text(window)}, to_apply=both",
              [p, values("f32", 4, 5), tensor("s32", 5), tensor("f32", 1)],
              computations=[both])
    select_and_scatters(group)
    return group


def select_and_scatters(group):
    def add(name, operand, window, direction="GE", scatter="add", initial=0, source=None):
        kind = name_of(operand)
        sizes = result_sizes(operand.shape, window)
        source = values(kind, *sizes, seed=2) if source is None else source
        shape = ",".join(map(str, operand.shape))
        select = computation("choose", {"a": f"{kind}[]", "b": f"{kind}[]"}, [],
                             f"pred[] compare(a, b), direction={direction}")
        group.add(
            identifier("select_and_scatter", name),
            f"{kind}[{shape}] select-and-scatter(p0, p1, p2), {window_text(window)}, select=choose, scatter={scatter}_{kind}",
            [operand, source, tensor(kind, initial)],
            computations=[select, combiner(scatter, kind)])

    p = values("s32", 4, 6)
    add("plain", p, dict(size=[2, 2], stride=[2, 2]))
    add("overlapping", p, dict(size=[2, 3]))
    add("padded", p, dict(size=[3, 3], stride=[2, 2], pad=[(1, 1), (1, 0)]))
    add("least", p, dict(size=[2, 2], stride=[2, 2]), direction="LE")
    add("initial", p, dict(size=[2, 2], stride=[2, 2]), initial=100)
    add("maximum", p, dict(size=[2, 3]), scatter="maximum", initial=-5)
    add("multiply", p, dict(size=[2, 3]), scatter="multiply", initial=1)
    # The first of equals with GE, the last with GT.
    ties = tensor("s32", [[1, 1, 2, 2], [1, 1, 2, 2]])
    add("ties_ge", ties, dict(size=[2, 2], stride=[2, 2]))
    add("ties_gt", ties, dict(size=[2, 2], stride=[2, 2]), direction="GT")
    add("one", values("s32", 7), dict(size=[3], stride=[2], pad=[(1, 1)]))
    add("skipping", p, dict(size=[1, 2], stride=[2, 3]))
    add("three", values("s32", 2, 4, 3), dict(size=[1, 2, 2], stride=[1, 2, 1]))
    for kind in ("f32", "f64", "bf16", "f16", "s8", "u8", "s64"):
        add(f"of_{kind}", values(kind, 4, 4), dict(size=[2, 2], stride=[2, 2]))
    add("nan", tensor("f32", [1, nan, 3, 2, nan, nan, 5, 6]), dict(size=[2], stride=[2]))
    add("empty_source", values("s32", 2, 3), dict(size=[3, 1]))
