"""sort and topk."""

from building import Group, computation, identifier, values
from tensors import tensor

nan, inf = float("nan"), float("inf")


def comparator(kind, direction="LT", order="", name=None):
    name = name or f"{direction.lower()}_{kind}"
    return name, computation(name, {"a": f"{kind}[]", "b": f"{kind}[]"}, [],
                             f"pred[] compare(a, b), direction={direction}{order}")


def programs():
    group = Group("sorting")
    for kind in ("s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64"):
        for direction in ("LT", "GT"):
            name, body = comparator(kind, direction)
            group.add(identifier("sort", direction, kind),
                      f"{kind}[9] sort(p0), dimensions={{0}}, to_apply={name}", [values(kind, 9, seed=1)],
                      computations=[body])
    specials = [1, nan, -0.0, inf, 0, -nan, -inf, -1, -0.0, 0, nan, 3]
    for kind in ("f16", "bf16", "f32", "f64"):
        for direction in ("LT", "GT"):
            name, body = comparator(kind, direction, ", type=TOTALORDER")
            group.add(identifier("sort_total_order", direction, kind),
                      f"{kind}[12] sort(p0), dimensions={{0}}, is_stable=true, to_apply={name}",
                      [tensor(kind, specials)],
                      computations=[body],
                      exact_nan=True)
    name, body = comparator("pred", "LT")
    group.add("sort_pred",
              f"pred[5] sort(p0), dimensions={{0}}, to_apply={name}", [tensor("pred", [1, 0, 1, 0, 0])],
              computations=[body])
    dimensions(group)
    with_values(group)
    topks(group)
    return group


def dimensions(group):
    name, body = comparator("s32")
    for dimension in range(3):
        group.add(identifier("sort_dimension", dimension),
                  f"s32[2,3,4] sort(p0), dimensions={{{dimension}}}, to_apply={name}", [values("s32", 2, 3, 4)],
                  computations=[body])
    group.add("sort_empty",
              f"s32[0,3] sort(p0), dimensions={{0}}, to_apply={name}", [values("s32", 0, 3)],
              computations=[body])
    group.add("sort_one",
              f"s32[1] sort(p0), dimensions={{0}}, to_apply={name}", [values("s32", 1)],
              computations=[body])
    group.add("sort_rows_of_one",
              f"s32[3,1] sort(p0), dimensions={{1}}, to_apply={name}", [values("s32", 3, 1)],
              computations=[body])
    group.add("sort_many",
              f"s32[64] sort(p0), dimensions={{0}}, to_apply={name}", [values("s32", 64)],
              computations=[body])


def with_values(group):
    """Several operands: the keys decide, the others go along."""
    def two(name, key, other, lines, result, stable=True, more=""):
        body = computation(name, {"a": f"{key}[]", "b": f"{key}[]", "c": f"{other}[]", "d": f"{other}[]"}, lines,
                           result)
        return body, f"({key}[8], {other}[8]) sort(p0, p1), dimensions={{0}}, is_stable={'true' if stable else 'false'}, to_apply={name}"

    keys = tensor("s32", [3, 1, 3, 2, 1, 1, 3, 2])
    index = tensor("s32", range(8))
    body, text = two("by_key", "s32", "s32", [], "pred[] compare(a, b), direction=LT")
    group.add("sort_stable_ties", text, [keys, index], computations=[body])
    body, text = two("by_key_down", "s32", "s32", [], "pred[] compare(a, b), direction=GT")
    group.add("sort_stable_ties_descending", text, [keys, index], computations=[body])
    body, text = two("by_second", "s32", "f32", [], "pred[] compare(c, d), direction=LT")
    group.add("sort_by_second", text, [index, values("f32", 8)], computations=[body])
    body, text = two("by_both", "s32", "s32", [
        "l = pred[] compare(a, b), direction=LT", "e = pred[] compare(a, b), direction=EQ",
        "g = pred[] compare(c, d), direction=GT", "t = pred[] and(e, g)"
    ], "pred[] or(l, t)")
    group.add("sort_by_both", text, [keys, index], computations=[body])
    body, text = two("by_remainder", "s32", "s32",
                     ["m = s32[] constant(3)", "x = s32[] remainder(a, m)", "y = s32[] remainder(b, m)"],
                     "pred[] compare(x, y), direction=LT")
    group.add("sort_by_remainder", text, [tensor("s32", [5, 3, 8, 1, 0, 7, 4, 6]), index], computations=[body])
    # JAX's comparator: all zeros are one, and so are all nans.
    lines = ["z = f32[] constant(0)", "q = f32[] constant(nan)"]
    for x in "ab":
        lines += [
            f"{x}z = pred[] compare({x}, z), direction=EQ", f"{x}0 = f32[] select({x}z, z, {x})",
            f"{x}n = pred[] compare({x}, {x}), direction=NE", f"{x}1 = f32[] select({x}n, q, {x}0)"
        ]
    body, text = two("canonical", "f32", "s32", lines, "pred[] compare(a1, b1), direction=LT, type=TOTALORDER")
    group.add("sort_canonical_floats",
              text, [tensor("f32", [nan, -0.0, 0, -nan, 1, -inf, 0, -1]), index],
              computations=[body])
    # Nothing is less than anything: all stay where they are.
    body, text = two("never", "s32", "s32", [], "pred[] constant(false)")
    group.add("sort_never_less", text, [keys, index], computations=[body])
    three = computation("three", {"a": "s32[]", "b": "s32[]", "c": "f32[]", "d": "f32[]", "e": "u8[]", "f": "u8[]"},
                        [], "pred[] compare(a, b), direction=LT")
    group.add(
        "sort_three_operands",
        "(s32[2,4], f32[2,4], u8[2,4]) sort(p0, p1, p2), dimensions={1}, is_stable=true, to_apply=three",
        [tensor("s32", [[2, 1, 2, 1], [4, 3, 2, 1]]),
         values("f32", 2, 4), values("u8", 2, 4)],
        computations=[three])
    for kind in ("bf16", "s4", "pred", "c64", "f8e4m3fn"):
        body = computation("keyed", {"a": "s32[]", "b": "s32[]", "c": f"{kind}[]", "d": f"{kind}[]"}, [],
                           "pred[] compare(a, b), direction=LT")
        group.add(identifier("sort_carrying", kind),
                  f"(s32[8], {kind}[8]) sort(p0, p1), dimensions={{0}}, is_stable=true, to_apply=keyed",
                  [keys, values(kind, 8)],
                  computations=[body])


def topks(group):
    for kind in ("f32", "s32", "bf16", "f64", "f16", "u8", "s64"):
        group.add(identifier("topk", kind), f"({kind}[2,3], s32[2,3]) topk(p0), k=3, largest=true",
                  [values(kind, 2, 6)])
    group.add("topk_smallest", "(f32[2,3], s32[2,3]) topk(p0), k=3, largest=false", [values("f32", 2, 6)])
    # nan above all, -nan below all; equal values: the lowest index first.
    group.add("topk_special",
              "(f32[10], s32[10]) topk(p0), k=10, largest=true",
              [tensor("f32", [1, nan, -0.0, inf, 0, -nan, -inf, 1, -0.0, 0])],
              exact_nan=True)
    group.add("topk_ties", "(s32[5], s32[5]) topk(p0), k=5, largest=true", [tensor("s32", [1, 3, 3, 2, 3, 1, 2])])
    group.add("topk_one", "(f32[1], s32[1]) topk(p0), k=1, largest=true", [values("f32", 7)])
    group.add("topk_three_dimensions", "(f32[2,2,2], s32[2,2,2]) topk(p0), k=2, largest=true",
              [values("f32", 2, 2, 4)])
    body = computation("above", {"a": "f32[]", "b": "f32[]", "c": "s32[]", "d": "s32[]"}, [],
                       "pred[] compare(a, b), direction=GT, type=TOTALORDER")
    for shape, result in (((2, 6), "2,3"), ((6, ), "3")):
        group.add(
            identifier("topk_custom_call", len(shape)),
            f'(f32[{result}], s32[{result}]) custom-call(p0), custom_call_target="TopK", called_computations={{above}}',
            [values("f32", *shape)],
            computations=[body])
