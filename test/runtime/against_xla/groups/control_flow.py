"""Control flow, calls, fusions, tuples, and what only orders instructions."""

from building import Group, combiner, computation, identifier, values
from tensors import tensor


def programs():
    group = Group("control_flow")
    whiles(group)
    conditionals(group)
    calls(group)
    maps(group)
    fusions(group)
    asyncs(group)
    tuples(group)
    ordering(group)
    return group


def whiles(group):
    condition = computation("below", {"s": "(s32[], s32[])"},
                            ["i = s32[] get-tuple-element(s), index=0", "n = s32[] constant(5)"],
                            "pred[] compare(i, n), direction=LT")
    body = computation("step", {"s": "(s32[], s32[])"}, [
        "i = s32[] get-tuple-element(s), index=0", "x = s32[] get-tuple-element(s), index=1",
        "one = s32[] constant(1)", "j = s32[] add(i, one)", "y = s32[] multiply(x, j)"
    ], "(s32[], s32[]) tuple(j, y)")
    for start in (0, 3, 5, 9):
        group.add(
            identifier("while_from",
                       start), ["s32[] get-tuple-element(w), index=0", "s32[] get-tuple-element(w), index=1"],
            [tensor("s32", start), tensor("s32", 3)],
            lines=["t = (s32[], s32[]) tuple(p0, p1)", "w = (s32[], s32[]) while(t), condition=below, body=step"],
            computations=[condition, body])
    group.add("while_result_is_tuple",
              "(s32[], s32[]) while(t), condition=below, body=step",
              [tensor("s32", 0), tensor("s32", 1)],
              lines=["t = (s32[], s32[]) tuple(p0, p1)"],
              computations=[condition, body])
    # A state that is no tuple.
    alone = computation("small", {"x": "s32[]"}, ["n = s32[] constant(100)"], "pred[] compare(x, n), direction=LT")
    double = computation("double", {"x": "s32[]"}, [], "s32[] add(x, x)")
    group.add("while_without_tuple",
              "s32[] while(p0), condition=small, body=double", [tensor("s32", 3)],
              computations=[alone, double])
    # Elements that change places.
    swap = computation("swap", {"s": "(s32[], f32[2], f32[2])"}, [
        "i = s32[] get-tuple-element(s), index=0", "a = f32[2] get-tuple-element(s), index=1",
        "b = f32[2] get-tuple-element(s), index=2", "one = s32[] constant(1)", "j = s32[] add(i, one)"
    ], "(s32[], f32[2], f32[2]) tuple(j, b, a)")
    less = computation("less", {"s": "(s32[], f32[2], f32[2])"},
                       ["i = s32[] get-tuple-element(s), index=0", "n = s32[] constant(3)"],
                       "pred[] compare(i, n), direction=LT")
    group.add("while_swaps",
              "(s32[], f32[2], f32[2]) while(t), condition=less, body=swap",
              [tensor("s32", 0), values("f32", 2), values("f32", 2, seed=1)],
              lines=["t = (s32[], f32[2], f32[2]) tuple(p0, p1, p2)"],
              computations=[less, swap])
    # An array that is written to, and a loop within the loop.
    fill = computation("fill", {"s": "(s32[], s32[6])"}, [
        "i = s32[] get-tuple-element(s), index=0", "a = s32[6] get-tuple-element(s), index=1",
        "one = s32[] constant(1)", "j = s32[] add(i, one)", "q = s32[] multiply(i, i)", "u = s32[1] reshape(q)",
        "b = s32[6] dynamic-update-slice(a, u, i)"
    ], "(s32[], s32[6]) tuple(j, b)")
    until = computation("until", {"s": "(s32[], s32[6])"},
                        ["i = s32[] get-tuple-element(s), index=0", "n = s32[] constant(4)"],
                        "pred[] compare(i, n), direction=LT")
    group.add("while_fills",
              "(s32[], s32[6]) while(t), condition=until, body=fill",
              [tensor("s32", 0), values("s32", 6)],
              lines=["t = (s32[], s32[6]) tuple(p0, p1)"],
              computations=[until, fill])
    outer = computation("outer", {"s": "(s32[], s32[])"}, [
        "i = s32[] get-tuple-element(s), index=0", "x = s32[] get-tuple-element(s), index=1",
        "z = s32[] constant(3)", "t = (s32[], s32[]) tuple(z, x)",
        "w = (s32[], s32[]) while(t), condition=below, body=step", "y = s32[] get-tuple-element(w), index=1",
        "one = s32[] constant(1)", "j = s32[] add(i, one)"
    ], "(s32[], s32[]) tuple(j, y)")
    group.add("while_nested",
              "(s32[], s32[]) while(t), condition=below, body=outer",
              [tensor("s32", 2), tensor("s32", 1)],
              lines=["t = (s32[], s32[]) tuple(p0, p1)"],
              computations=[condition, body, outer])


def conditionals(group):
    double = computation("double", {"x": "f32[2]"}, [], "f32[2] add(x, x)")
    negative = computation("negative", {"x": "f32[2]"}, [], "f32[2] negate(x)")
    square = computation("square", {"x": "f32[2]"}, [], "f32[2] multiply(x, x)")
    a, b, c = (values("f32", 2, seed=s) for s in range(3))
    for value in (0, 1):
        group.add(identifier("conditional_pred", value),
                  "f32[2] conditional(p0, p1, p2), true_computation=double, false_computation=negative",
                  [tensor("pred", value), a, b],
                  computations=[double, negative])
    # What is out of range takes the last.
    for index in (0, 1, 2, 3, -1, 2147483647, -2147483648):
        group.add(identifier("conditional_index", index if index >= 0 else f"minus_{-index}"),
                  "f32[2] conditional(p0, p1, p2, p3), branch_computations={double, negative, square}",
                  [tensor("s32", index), a, b, c],
                  computations=[double, negative, square])
    group.add("conditional_one_branch",
              "f32[2] conditional(p0, p1), branch_computations={double}", [tensor("s32", 7), a],
              computations=[double])
    both = computation("both", {"t": "(f32[2], s32[])"}, [
        "x = f32[2] get-tuple-element(t), index=0", "n = s32[] get-tuple-element(t), index=1",
        "y = f32[2] add(x, x)"
    ], "(f32[2], s32[]) tuple(y, n)")
    other = computation("other", {"t": "(f32[2], s32[])"}, [
        "x = f32[2] get-tuple-element(t), index=0", "n = s32[] get-tuple-element(t), index=1", "m = s32[] negate(n)"
    ], "(f32[2], s32[]) tuple(x, m)")
    for value in (0, 1):
        group.add(identifier("conditional_tuples", value),
                  "(f32[2], s32[]) conditional(p0, t, t), true_computation=both, false_computation=other",
                  [tensor("pred", value), a, tensor("s32", 5)],
                  lines=["t = (f32[2], s32[]) tuple(p1, p2)"],
                  computations=[both, other])
    nested = computation("nested", {"x": "f32[2]"}, ["k = s32[] constant(-3)"],
                         "f32[2] conditional(k, x, x), branch_computations={double, square}")
    group.add("conditional_nested",
              "f32[2] conditional(p0, p1, p1), true_computation=nested, false_computation=double",
              [tensor("pred", 1), a],
              computations=[double, square, nested])


def calls(group):
    twice = computation("twice", {"x": "s32[3]"}, [], "s32[3] add(x, x)")
    group.add("call", "s32[3] call(p0), to_apply=twice", [values("s32", 3)], computations=[twice])
    group.add("call_twice",
              "s32[3] call(c), to_apply=twice", [values("s32", 3)],
              lines=["c = s32[3] call(p0), to_apply=twice"],
              computations=[twice])
    nothing = computation("seven", {}, [], "s32[] constant(7)")
    group.add("call_without_arguments", "s32[] call(), to_apply=seven", computations=[nothing])
    pair = computation("pair", {"a": "s32[]", "b": "f32[2]"}, [], "(f32[2], s32[]) tuple(b, a)")
    group.add("call_returns_tuple",
              "(f32[2], s32[]) call(p0, p1), to_apply=pair", [tensor("s32", 1), values("f32", 2)],
              computations=[pair])
    identity = "same {\n  ROOT x = s32[3] parameter(0)\n}"
    group.add("call_identity", "s32[3] call(p0), to_apply=same", [values("s32", 3)], computations=[identity])


def maps(group):
    for kind in ("s32", "f32", "u8", "bf16", "c64"):
        body = computation("mapped", {"a": f"{kind}[]", "b": f"{kind}[]"}, [f"m = {kind}[] multiply(a, b)"],
                           f"{kind}[] subtract(m, a)")
        group.add(identifier("map", kind),
                  f"{kind}[2,3] map(p0, p1), dimensions={{0,1}}, to_apply=mapped",
                  [values(kind, 2, 3), values(kind, 2, 3, seed=1)],
                  computations=[body])
    is_large = computation("is_large", {"a": "s32[]"}, ["n = s32[] constant(3)"],
                           "pred[] compare(a, n), direction=GT")
    group.add("map_to_pred",
              "pred[5] map(p0), dimensions={0}, to_apply=is_large", [values("s32", 5)],
              computations=[is_large])
    group.add("map_scalar",
              "pred[] map(p0), dimensions={}, to_apply=is_large", [tensor("s32", 5)],
              computations=[is_large])
    group.add("map_empty",
              "pred[0] map(p0), dimensions={0}, to_apply=is_large", [values("s32", 0)],
              computations=[is_large])
    three = computation("three", {"a": "pred[]", "b": "s32[]", "c": "s32[]"}, [], "s32[] select(a, c, b)")
    group.add("map_three",
              "s32[4] map(p0, p1, p2), dimensions={0}, to_apply=three",
              [tensor("pred", [1, 0, 0, 1]),
               values("s32", 4), values("s32", 4, seed=3)],
              computations=[three])


def fusions(group):
    p, q = values("f32", 3, 4), values("f32", 4)
    body = computation("fused", {"a": "f32[3,4]", "b": "f32[4]"},
                       ["c = f32[3,4] broadcast(b), dimensions={1}", "d = f32[3,4] multiply(a, c)"],
                       "f32[3,4] negate(d)")
    for kind in ("kLoop", "kInput", "kOutput", "kCustom"):
        group.add(identifier("fusion", kind),
                  f"f32[3,4] fusion(p0, p1), kind={kind}, calls=fused", [p, q],
                  computations=[body])
    reduced = computation("fused", {"a": "f32[3,4]", "z": "f32[]"}, ["d = f32[3,4] multiply(a, a)"],
                          "f32[3] reduce(d, z), dimensions={1}, to_apply=add_f32")
    group.add("fusion_of_reduce",
              "f32[3] fusion(p0, p1), kind=kLoop, calls=fused", [p, tensor("f32", 1)],
              computations=[combiner("add", "f32"), reduced])
    several = computation("fused", {"a": "f32[3,4]"}, [
        "d = f32[3,4] negate(a)", "e = f32[4,3] transpose(a), dimensions={1,0}",
        "g = f32[3,4] transpose(e), dimensions={1,0}", "h = f32[3,4] add(g, d)"
    ], "(f32[3,4], f32[3,4]) tuple(d, h)")
    group.add("fusion_of_several_results",
              "(f32[3,4], f32[3,4]) fusion(p0), kind=kLoop, calls=fused", [p],
              computations=[several])
    within = computation("fused", {"a": "s32[4]", "i": "s32[]", "u": "s32[2]"},
                         ["k = s32[4] constant({1, 2, 3, 4})", "b = s32[4] add(a, k)"],
                         "s32[4] dynamic-update-slice(b, u, i)")
    group.add("fusion_of_update",
              "s32[4] fusion(p0, p1, p2), kind=kLoop, calls=fused",
              [values("s32", 4), tensor("s32", 9), values("s32", 2)],
              computations=[within])
    inner = computation("inner", {"x": "s32[4]"}, [], "s32[4] negate(x)")
    outer = computation("outer", {"x": "s32[4]"}, ["y = s32[4] fusion(x), kind=kLoop, calls=inner"],
                        "s32[4] add(y, y)")
    group.add("fusion_nested",
              "s32[4] fusion(p0), kind=kLoop, calls=outer", [values("s32", 4)],
              computations=[inner, outer])
    added = computation("fused", {"a": "f32[3,4]", "b": "f32[4]", "c": "f32[3]"},
                        ["d = f32[3] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"],
                        "f32[3] add(d, c)")
    group.add("fusion_of_dot_and_add",
              "f32[3] fusion(p0, p1, p2), kind=kOutput, calls=fused", [p, q, values("f32", 3)],
              computations=[added])
    dot = computation("fused", {"a": "f32[3,4]", "b": "f32[4]"},
                      ["d = f32[3] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}"],
                      "f32[3] negate(d)")
    group.add("fusion_of_dot", "f32[3] fusion(p0, p1), kind=kOutput, calls=fused", [p, q], computations=[dot])


def asyncs(group):
    body = computation("work", {"a": "f32[4]"}, [], "f32[4] negate(a)")
    group.add("async",
              "f32[4] async-done(s)", [values("f32", 4)],
              lines=["s = ((f32[4]), f32[4], s32[]) async-start(p0), calls=work"],
              computations=[body])
    group.add("async_update",
              "f32[4] async-done(u)", [values("f32", 4)],
              lines=[
                  "s = ((f32[4]), f32[4], s32[]) async-start(p0), calls=work",
                  "u = ((f32[4]), f32[4], s32[]) async-update(s)"
              ],
              computations=[body])
    boxed = computation("boxed", {"a": "f32[4]"}, ["n = f32[4] negate(a)"], "(f32[4]) tuple(n)")
    group.add("async_of_tuple",
              "(f32[4]) async-done(s)", [values("f32", 4)],
              lines=["s = ((f32[4]), (f32[4]), s32[]) async-start(p0), calls=boxed"],
              computations=[boxed])
    group.add("async_short",
              "f32[4] call-done(s)", [values("f32", 4)],
              lines=["s = ((f32[4]), f32[4], s32[]) call-start(p0), to_apply=work"],
              computations=[body])
    group.add("copy_start",
              "f32[4] copy-done(s)", [values("f32", 4)],
              lines=["s = (f32[4], f32[4], u32[]) copy-start(p0)"])


def tuples(group):
    a, b = values("s32", 2), values("f32", 2)
    group.add("tuple", "(s32[2], f32[2]) tuple(p0, p1)", [a, b])
    group.add("tuple_of_one", "(s32[2]) tuple(p0)", [a])
    group.add("tuple_repeats", "(s32[2], s32[2]) tuple(p0, p0)", [a])
    group.add("tuple_nested",
              "((s32[2], f32[2]), f32[2]) tuple(t, p1)", [a, b],
              lines=["t = (s32[2], f32[2]) tuple(p0, p1)"])
    group.add("tuple_nested_deep",
              "(((s32[2]), f32[2]), (s32[2])) tuple(u, t)", [a, b],
              lines=["t = (s32[2]) tuple(p0)", "u = ((s32[2]), f32[2]) tuple(t, p1)"])
    group.add("tuple_of_nothing_inside", "((), s32[2]) tuple(t, p0)", [a], lines=["t = () tuple()"])
    group.add("get_tuple_element_nested",
              "f32[2] get-tuple-element(x), index=1", [a, b],
              lines=[
                  "t = (s32[2], f32[2]) tuple(p0, p1)", "u = (s32[2], (s32[2], f32[2])) tuple(p0, t)",
                  "x = (s32[2], f32[2]) get-tuple-element(u), index=1"
              ])
    group.add("result_is_a_parameter", "s32[2] copy(p1)", [b, a])
    group.programs[-1].text = group.programs[-1].text.replace(
        "  p1 = s32[2] parameter(1)\n  ROOT r = s32[2] copy(p1)", "  ROOT p1 = s32[2] parameter(1)")
    group.add(
        "tuple_select_by_conditional",
        "(s32[2], s32[2]) conditional(p0, t, t), true_computation=same, false_computation=other",
        [tensor("pred", 0), a, values("s32", 2, seed=1)],
        lines=["t = (s32[2], s32[2]) tuple(p1, p2)"],
        computations=[
            "same {\n  ROOT t = (s32[2], s32[2]) parameter(0)\n}",
            computation("other", {"t": "(s32[2], s32[2])"},
                        ["a = s32[2] get-tuple-element(t), index=0", "b = s32[2] get-tuple-element(t), index=1"],
                        "(s32[2], s32[2]) tuple(b, a)")
        ])


def ordering(group):
    a, b = values("s32", 2), values("f32", 2)
    group.add("opt_barrier", "s32[2] opt-barrier(p0)", [a])
    group.add("opt_barrier_tuple",
              "(s32[2], f32[2]) opt-barrier(t)", [a, b],
              lines=["t = (s32[2], f32[2]) tuple(p0, p1)"])
    group.add("add_dependency", "s32[2] add-dependency(p0, k)", [a], lines=["k = token[] after-all()"])
    group.add("after_all_of_tokens",
              "s32[2] add-dependency(p0, l)", [a],
              lines=["k = token[] after-all()", "l = token[] after-all(k, k)"])
    group.add("domain", "s32[2] domain(p0), domain={kind=\"sharding\", entry={replicated}, exit={replicated}}", [a])
    group.add("control_predecessors",
              "s32[2] add(x, y)", [a],
              lines=["x = s32[2] negate(p0)", "y = s32[2] add(p0, p0), control-predecessors={x}"])
    group.add("unused_parameter", "s32[2] negate(p0)", [a, b])
    group.add("unused_instruction", "s32[2] negate(p0)", [a], lines=["u = s32[2] divide(p0, p0)"])
