"""Dimensions whose size is known at run time. What stays static at the end can be compared."""

from building import Group, combiner, computation, identifier, values
from tensors import tensor


def programs():
    group = Group("dynamic_shapes")
    add = combiner("add", "s32")
    # Initial values are 0 throughout: XLA fills what lies beyond the size with them, and adds it all.
    group.add("get_dimension_size", "s32[] get-dimension-size(p0), dimensions={1}", [values("s32", 2, 3)])
    for size in (0, 2, 4):
        n = tensor("s32", size)
        set_size = "d = s32[<=4] set-dimension-size(p0, p1), dimensions={0}"
        group.add(identifier("dimension_size_set", size),
                  "s32[] get-dimension-size(d), dimensions={0}", [values("s32", 4), n],
                  lines=[set_size])
        group.add(identifier("reduce_dynamic", size),
                  "s32[] reduce(d, z), dimensions={0}, to_apply=add_s32", [values("s32", 4), n],
                  lines=[set_size, "z = s32[] constant(0)"],
                  computations=[add])
        group.add(identifier("reduce_after_arithmetic", size),
                  "s32[] reduce(e, z), dimensions={0}, to_apply=add_s32", [values("s32", 4), n],
                  lines=[set_size, "e = s32[<=4] multiply(d, d)", "z = s32[] constant(0)"],
                  computations=[add])
        rows = "d = s32[3,<=4] set-dimension-size(p0, p1), dimensions={1}"
        group.add(identifier("reduce_rows_dynamic", size),
                  "s32[3] reduce(d, z), dimensions={1}, to_apply=add_s32", [values("s32", 3, 4), n],
                  lines=[rows, "z = s32[] constant(0)"],
                  computations=[add])
        group.add(identifier("dot_dynamic", size),
                  "s32[3,2] dot(d, e), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
                  [values("s32", 3, 4), n, values("s32", 4, 2)],
                  lines=[rows, "e = s32[<=4,2] set-dimension-size(p2, p1), dimensions={0}"])
        less = computation("lt", {"a": "s32[]", "b": "s32[]"}, [], "pred[] compare(a, b), direction=LT")
        group.add(identifier("sort_dynamic", size),
                  "s32[] reduce(q, z), dimensions={0}, to_apply=add_s32", [values("s32", 4), n],
                  lines=[set_size, "q = s32[<=4] sort(d), dimensions={0}, to_apply=lt", "z = s32[] constant(0)"],
                  computations=[add, less])
    # What lies beyond a size that is later made larger is nothing to compare.
    group.add("back_to_static",
              "s32[4] set-dimension-size(d, c), dimensions={0}",
              [values("s32", 4), tensor("s32", 4)],
              lines=["d = s32[<=4] set-dimension-size(p0, p1), dimensions={0}", "c = s32[] constant(4)"])
    group.add("dynamic_reshape",
              "s32[] reduce(q, z), dimensions={0}, to_apply=add_s32",
              [values("s32", 2, 3), tensor("s32", 2), tensor("s32", 4)],
              lines=[
                  "d = s32[2,<=3] set-dimension-size(p0, p1), dimensions={1}",
                  "q = s32[<=6] dynamic-reshape(d, p2)", "z = s32[] constant(0)"
              ],
              computations=[add])
    return group
