"""reduce, scan, and what is built on them. Sums of values with few digits are exact in any order."""

from building import Group, combiner, computation, identifier, rough_values, ulps, values
from tensors import tensor

nan, inf = float("nan"), float("inf")
INITIAL = {"add": 0, "multiply": 1, "and": -1, "or": 0, "xor": 0}


def programs():
    group = Group("reductions")
    for kind in ("s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64"):
        for opcode in ("add", "multiply", "maximum", "minimum", "and", "or", "xor"):
            initial = INITIAL.get(opcode, values(kind, seed=5)[()])
            if initial == -1 and kind.startswith("u"):
                initial = 255
            group.add(identifier("reduce", opcode, kind),
                      f"{kind}[3] reduce(p0, p1), dimensions={{1}}, to_apply={opcode}_{kind}",
                      [values(kind, 3, 4), tensor(kind, initial)],
                      computations=[combiner(opcode, kind)])
    for kind in ("f16", "bf16", "f32", "f64", "c64", "c128"):
        # XLA:CPU rounds sums of bf16 on the way: these need no rounding.
        for opcode in ("add", "multiply") + (("maximum", "minimum") if not kind.startswith("c") else ()):
            operand = values(kind, 3, 4) if opcode != "multiply" else tensor(
                kind, [[1, 2, -0.5, 4], [3, -1, 1, 0], [-2, -2, 0.25, 8]])
            group.add(identifier("reduce", opcode, kind),
                      f"{kind}[3] reduce(p0, p1), dimensions={{1}}, to_apply={opcode}_{kind}",
                      [operand, tensor(kind, {"add": 0.5, "multiply": 2}.get(opcode, 0.5))],
                      computations=[combiner(opcode, kind)])
    for opcode in ("and", "or", "xor"):
        group.add(identifier("reduce", opcode, "pred"),
                  f"pred[3] reduce(p0, p1), dimensions={{1}}, to_apply={opcode}_pred",
                  [tensor("pred", [[1, 1, 1], [0, 1, 0], [0, 0, 0]]),
                   tensor("pred", opcode == "and")],
                  computations=[combiner(opcode, "pred")])
    special(group)
    shapes(group)
    variadic(group)
    scans(group)
    return group


def special(group):
    operand = [[1, nan, 2], [inf, -inf, 1], [inf, 1, 2], [-0.0, -0.0, -0.0]]
    for kind in ("f32", "f64", "f16", "bf16"):
        for opcode, initial in (("add", -0.0), ("maximum", -inf), ("minimum", inf), ("multiply", 1)):
            group.add(identifier("reduce", opcode, "special", kind),
                      f"{kind}[4] reduce(p0, p1), dimensions={{1}}, to_apply={opcode}_{kind}",
                      [tensor(kind, operand), tensor(kind, initial)],
                      computations=[combiner(opcode, kind)])
    # The initial value takes part, whatever it is.
    group.add("reduce_initial_nan",
              "f32[2] reduce(p0, p1), dimensions={1}, to_apply=maximum_f32",
              [values("f32", 2, 3), tensor("f32", nan)],
              computations=[combiner("maximum", "f32")])
    group.add("reduce_initial_is_largest",
              "s32[2] reduce(p0, p1), dimensions={1}, to_apply=maximum_s32",
              [values("s32", 2, 3), tensor("s32", 1000)],
              computations=[combiner("maximum", "s32")])
    group.add(
        "reduce_wraps_s32",
        "s32[] reduce(p0, p1), dimensions={0}, to_apply=add_s32",
        [tensor("s32", [2147483647, 2147483647, 5]), tensor("s32", 7)],
        computations=[combiner("add", "s32")])
    for kind, bound in (("f32", ulps(8, 1e-6)), ("f64", ulps(8, 1e-14))):
        group.add(identifier("reduce_rough", kind),
                  f"{kind}[4] reduce(p0, p1), dimensions={{1}}, to_apply=add_{kind}",
                  [rough_values(kind, 4, 16), tensor(kind, 0)],
                  bound,
                  computations=[combiner("add", kind)])
        group.add(identifier("reduce_rough_product", kind),
                  f"{kind}[4] reduce(p0, p1), dimensions={{1}}, to_apply=multiply_{kind}",
                  [rough_values(kind, 4, 9), tensor(kind, 1)],
                  ulps(16),
                  computations=[combiner("multiply", kind)])


def shapes(group):
    # XLA:CPU leaves the initial value out where no dimension is reduced: there it is 0.
    p = values("s32", 2, 3, 4)
    add = combiner("add", "s32")
    for dimensions, shape in (((0, ), "3,4"), ((1, ), "2,4"), ((2, ), "2,3"), ((0, 1), "4"), ((0, 2), "3"),
                              ((2, 1), "2"), ((0, 1, 2), ""), ((), "2,3,4")):
        group.add(identifier("reduce_dims", *dimensions, "none" if not dimensions else ""),
                  f"s32[{shape}] reduce(p0, p1), dimensions={{{','.join(map(str, dimensions))}}}, to_apply=add_s32",
                  [p, tensor("s32", 100 if dimensions else 0)],
                  computations=[add])
    for name, operand, dimensions, shape in (("empty", values("s32",
                                                              0), "0", ""), ("empty_rows", values("s32", 3,
                                                                                                  0), "1", "3"),
                                             ("of_no_rows", values("s32", 0, 3), "1", "0"),
                                             ("size_one", values("s32", 1,
                                                                 3), "0", "3"), ("scalar", tensor("s32",
                                                                                                  5), "", "")):
        group.add(identifier("reduce", name),
                  f"s32[{shape}] reduce(p0, p1), dimensions={{{dimensions}}}, to_apply=add_s32",
                  [operand, tensor("s32", 7 if operand.ndim else 0)],
                  computations=[add])
    # Computations that are more than one instruction; they are associative, as reduce demands.
    xor_not = computation("xnor", {"a": "s32[]", "b": "s32[]"}, ["x = s32[] xor(a, b)"], "s32[] not(x)")
    group.add("reduce_by_two_instructions",
              "s32[3] reduce(p0, p1), dimensions={1}, to_apply=xnor",
              [values("s32", 3, 4), tensor("s32", -1)],
              computations=[xor_not])
    swapped = computation("swapped", {"a": "s32[]", "b": "s32[]"}, [], "s32[] add(b, a)")
    group.add("reduce_swapped",
              "s32[3] reduce(p0, p1), dimensions={1}, to_apply=swapped",
              [values("s32", 3, 4), tensor("s32", 0)],
              computations=[swapped])
    largest = computation("largest", {"a": "f32[]", "b": "f32[]"}, ["g = pred[] compare(a, b), direction=GE"],
                          "f32[] select(g, a, b)")
    group.add("reduce_by_select",
              "f32[3] reduce(p0, p1), dimensions={1}, to_apply=largest",
              [values("f32", 3, 4), tensor("f32", -inf)],
              computations=[largest])
    group.add("reduce_of_reduce",
              "s32[] reduce(r1, p1), dimensions={0}, to_apply=add_s32", [p, tensor("s32", 1)],
              lines=["r1 = s32[3] reduce(p0, p1), dimensions={0,2}, to_apply=add_s32"],
              computations=[add])


def variadic(group):
    # argmax: the largest value and the lowest index that has it; nan is above all.
    for kind in ("f32", "s32", "bf16"):
        lines = [
            f"g = pred[] compare(a, c), direction=GT", "e = pred[] compare(a, c), direction=EQ",
            "l = pred[] compare(b, d), direction=LT", "t = pred[] and(e, l)", "u = pred[] or(g, t)"
        ]
        if kind != "s32":
            lines += ["n = pred[] compare(a, a), direction=NE", "un = pred[] or(u, n)"]
        chosen = "un" if kind != "s32" else "u"
        lines += [f"v = {kind}[] select({chosen}, a, c)", f"i = s32[] select({chosen}, b, d)"]
        body = computation("argmax", {"a": f"{kind}[]", "b": "s32[]", "c": f"{kind}[]", "d": "s32[]"}, lines,
                           f"({kind}[], s32[]) tuple(v, i)")
        numbers = [[1, 5, 5, 2], [-3, -7, -3, -3], [4, nan if kind != "s32" else 9, 7, 1]]
        least = -inf if kind != "s32" else -2147483648
        group.add(identifier("reduce_argmax", kind),
                  f"({kind}[3], s32[3]) reduce(p0, i, p1, p2), dimensions={{1}}, to_apply=argmax",
                  [tensor(kind, numbers), tensor(kind, least),
                   tensor("s32", 0)],
                  lines=["i = s32[3,4] iota(), iota_dimension=1"],
                  computations=[body])
    both = computation("both", {"a": "s32[]", "b": "f32[]", "c": "s32[]", "d": "f32[]"},
                       ["x = s32[] add(a, c)", "y = f32[] minimum(b, d)"], "(s32[], f32[]) tuple(x, y)")
    group.add("reduce_sum_and_minimum",
              "(s32[4], f32[4]) reduce(p0, p1, p2, p3), dimensions={0}, to_apply=both",
              [values("s32", 3, 4), values("f32", 3, 4),
               tensor("s32", 5), tensor("f32", 1)],
              computations=[both])
    group.add("reduce_variadic_to_scalars",
              "(s32[], f32[]) reduce(p0, p1, p2, p3), dimensions={0,1}, to_apply=both",
              [values("s32", 3, 4), values("f32", 3, 4),
               tensor("s32", 5), tensor("f32", 1)],
              computations=[both])
    group.add("reduce_variadic_empty",
              "(s32[2], f32[2]) reduce(p0, p1, p2, p3), dimensions={1}, to_apply=both",
              [values("s32", 2, 0), values("f32", 2, 0),
               tensor("s32", 5), tensor("f32", 1)],
              computations=[both])
    # Complex multiplication of pairs.
    pairs = computation("pairs", {"a": "s32[]", "b": "s32[]", "c": "s32[]", "d": "s32[]"}, [
        "ac = s32[] multiply(a, c)", "bd = s32[] multiply(b, d)", "ad = s32[] multiply(a, d)",
        "bc = s32[] multiply(b, c)", "x = s32[] subtract(ac, bd)", "y = s32[] add(ad, bc)"
    ], "(s32[], s32[]) tuple(x, y)")
    group.add(
        "reduce_variadic_mixed",
        "(s32[3], s32[3]) reduce(p0, p1, p2, p3), dimensions={1}, to_apply=pairs",
        [values("s32", 3, 4), values("s32", 3, 4, seed=1),
         tensor("s32", 1), tensor("s32", 0)],
        computations=[pairs])


def scans(group):
    def body(kind):
        return computation(f"running_{kind}", {"a": f"{kind}[]", "b": f"{kind}[]"}, [f"s = {kind}[] add(a, b)"],
                           f"({kind}[], {kind}[]) tuple(s, s)")

    for kind in ("s32", "f32", "s8"):
        group.add(identifier("scan", kind),
                  f"({kind}[6], {kind}[]) scan(p0, p1), dimensions={{0}}, num_carries=1, to_apply=running_{kind}",
                  [values(kind, 6), tensor(kind, 1)],
                  computations=[body(kind)])
        group.add(
            identifier("scan_reverse", kind),
            f"({kind}[6], {kind}[]) scan(p0, p1), dimensions={{0}}, num_carries=1, is_reverse=true, to_apply=running_{kind}",
            [values(kind, 6), tensor(kind, 1)],
            computations=[body(kind)])
    rows = computation("rows", {"a": "s32[3]", "b": "s32[3]"}, ["s = s32[3] add(a, b)"],
                       "(s32[3], s32[3]) tuple(s, s)")
    group.add("scan_rows",
              "(s32[4,3], s32[3]) scan(p0, p1), dimensions={0}, num_carries=1, to_apply=rows",
              [values("s32", 4, 3), values("s32", 3, seed=2)],
              computations=[rows])
    mixed = computation("mixed", {"a": "s32[]", "b": "s32[]"}, ["p = s32[] multiply(a, b)", "s = s32[] add(b, a)"],
                        "(s32[], s32[]) tuple(p, s)")
    group.add("scan_result_is_not_the_carry",
              "(s32[6], s32[]) scan(p0, p1), dimensions={0}, num_carries=1, to_apply=mixed",
              [values("s32", 6), tensor("s32", 1)],
              computations=[mixed])
