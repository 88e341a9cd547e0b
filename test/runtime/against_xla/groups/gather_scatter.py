"""gather and scatter: batches, windows, indices out of range and repeated."""

from building import Group, combiner, computation, identifier, values
from tensors import name_of, tensor


def programs():
    group = Group("gather_scatter")
    gathers(group)
    scatters(group)
    return group


def gather_text(offset, collapsed, start_map, vector_dim, sizes, batching=None, sorted_=False):
    def braces(numbers):
        return "{" + ",".join(map(str, numbers)) + "}"

    text = f"offset_dims={braces(offset)}, collapsed_slice_dims={braces(collapsed)}, start_index_map={braces(start_map)}"
    if batching:
        text += f", operand_batching_dims={braces(batching[0])}, start_indices_batching_dims={braces(batching[1])}"
    text += f", index_vector_dim={vector_dim}, slice_sizes={braces(sizes)}"
    return text + (", indices_are_sorted=true" if sorted_ else "")


def gathers(group):
    p = values("s32", 4, 5)

    def add(name, shape, operand, indices, *dims, **options):
        group.add(identifier("gather", name), f"{shape} gather(p0, p1), {gather_text(*dims, **options)}",
                  [operand, indices])

    add("rows", "s32[3,5]", p, tensor("s32", [2, 0, 3]), [1], [0], [0], 1, [1, 5])
    add("rows_out_of_range", "s32[4,5]", p, tensor("s32", [-1, 4, 100, -2147483648]), [1], [0], [0], 1, [1, 5])
    add("columns", "s32[4,3]", p, tensor("s32", [4, 9, -9]), [0], [1], [1], 1, [4, 1])
    add("points", "s32[4]", p, tensor("s32", [[0, 1], [3, 4], [9, 9], [-1, 2]]), [], [0, 1], [0, 1], 1, [1, 1])
    add("points_swapped", "s32[4]", p, tensor("s32", [[0, 1], [4, 3], [9, 9], [2, -1]]), [], [0, 1], [1, 0], 1,
        [1, 1])
    add("index_vector_first", "s32[3]", p, tensor("s32", [[0, 1, 2], [4, 3, 2]]), [], [0, 1], [0, 1], 0, [1, 1])
    add("windows", "s32[3,2,3]", p, tensor("s32", [[0, 0], [2, 2], [3, 4]]), [1, 2], [], [0, 1], 1, [2, 3])
    add("windows_offset_first", "s32[2,3,3]", p, tensor("s32", [[0, 0], [2, 2], [3, 4]]), [0, 1], [], [0, 1], 1,
        [2, 3])
    add("windows_offset_around", "s32[2,3,3]", p, tensor("s32", [[0, 0], [2, 2], [-3, 1]]), [0, 2], [], [0, 1], 1,
        [2, 3])
    add("indices_of_rank_two", "s32[2,2,5]", p, tensor("s32", [[0, 1], [2, 7]]), [2], [0], [0], 2, [1, 5])
    add("one_index_of_windows", "s32[2,2,3]", p, tensor("s32", [1, 9]), [1, 2], [], [1], 1, [2, 3])
    add("scalar_index", "s32[5]", p, tensor("s32", 2), [0], [0], [0], 0, [1, 5])
    add("scalar_vector", "s32[2,2]", p, tensor("s32", [3, 1]), [0, 1], [], [0, 1], 0, [2, 2])
    add("no_indices", "s32[0,5]", p, tensor("s32", [], (0, )), [1], [0], [0], 1, [1, 5])
    add("empty_windows", "s32[3,0]", p, tensor("s32", [2, 0, 3]), [1], [0], [0], 1, [1, 0])
    add("sorted", "s32[3,5]", p, tensor("s32", [0, 2, 3]), [1], [0], [0], 1, [1, 5], sorted_=True)
    add("batched",
        "s32[3,2]",
        values("s32", 3, 4),
        tensor("s32", [[0, 1], [3, 9], [-1, 2]]), [], [1], [1],
        2, [1, 1],
        batching=([0], [0]))
    add("batched_windows",
        "s32[2,3,2]",
        values("s32", 3, 4, 2),
        tensor("s32", [[0, 1, 3], [2, 9, -1]]), [2], [1], [1],
        2, [1, 1, 2],
        batching=([0], [1]))
    for kind in ("s8", "u8", "s16", "s64", "u32", "u64"):
        indices = [0, 3, 127] + ([-1, -128] if kind.startswith("s") else [])
        add(f"by_{kind}", f"s32[{len(indices)},5]", p, tensor(kind, indices), [1], [0], [0], 1, [1, 5])
    add("by_s64_far", "s32[3,5]", p, tensor("s64", [2**32 + 1, -2**40, 2**62]), [1], [0], [0], 1, [1, 5])
    add("by_u32_far", "s32[2,5]", p, tensor("u32", [2**32 - 1, 2**31]), [1], [0], [0], 1, [1, 5])


def scatter_text(window, inserted, to_operand, vector_dim, batching=None, unique=False, sorted_=False):
    def braces(numbers):
        return "{" + ",".join(map(str, numbers)) + "}"

    text = f"update_window_dims={braces(window)}, inserted_window_dims={braces(inserted)}, scatter_dims_to_operand_dims={braces(to_operand)}"
    if batching:
        text += f", input_batching_dims={braces(batching[0])}, scatter_indices_batching_dims={braces(batching[1])}"
    text += f", index_vector_dim={vector_dim}"
    return text + (", unique_indices=true" if unique else "") + (", indices_are_sorted=true" if sorted_ else "")


def scatters(group):
    p = values("s32", 4, 5)

    def add(name, operand, indices, updates, *dims, opcode="add", **options):
        kind = name_of(operand)
        body = combiner(opcode, kind)
        shape = ",".join(map(str, operand.shape))
        group.add(
            identifier("scatter", name),
            f"{kind}[{shape}] scatter(p0, p1, p2), {scatter_text(*dims, **options)}, to_apply={opcode}_{kind}",
            [operand, indices, updates],
            computations=[body])

    rows = values("s32", 3, 5, seed=3)
    add("rows", p, tensor("s32", [2, 0, 3]), rows, [1], [0], [0], 1)
    add("rows_repeated", p, tensor("s32", [2, 2, 2]), rows, [1], [0], [0], 1)
    add("rows_out_of_range", p, tensor("s32", [-1, 4, 1]), rows, [1], [0], [0], 1)
    add("columns", p, tensor("s32", [4, 9, 4]), values("s32", 4, 3, seed=3), [0], [1], [1], 1)
    add("points", p, tensor("s32", [[0, 1], [3, 4], [9, 9], [0, 1], [-1, 2]]), values("s32", 5, seed=2), [], [0, 1],
        [0, 1], 1)
    add("points_swapped", p, tensor("s32", [[0, 1], [4, 3], [0, 1], [2, -1]]), values("s32", 4, seed=2), [], [0, 1],
        [1, 0], 1)
    add("index_vector_first", p, tensor("s32", [[0, 1, 2], [4, 3, 2]]), values("s32", 3), [], [0, 1], [0, 1], 0)
    # A window that does not fit is dropped whole.
    add("windows", p, tensor("s32", [[0, 0], [2, 2], [3, 4], [-1, 0], [2, 3]]), values("s32", 5, 2, 3), [1, 2], [],
        [0, 1], 1)
    add("windows_overlapping", p, tensor("s32", [[0, 0], [1, 1], [1, 2]]), values("s32", 3, 2, 3), [1, 2], [],
        [0, 1], 1)
    add("windows_first", p, tensor("s32", [[0, 0], [2, 2]]), values("s32", 2, 3, 2), [0, 1], [], [0, 1], 1)
    add("scalar_index", p, tensor("s32", 2), values("s32", 5), [0], [0], [0], 0)
    add("no_indices", p, tensor("s32", [], (0, )), values("s32", 0, 5), [1], [0], [0], 1)
    add("unique_sorted", p, tensor("s32", [0, 2, 3]), rows, [1], [0], [0], 1, unique=True, sorted_=True)
    add("batched",
        values("s32", 3, 4),
        tensor("s32", [[0, 1], [3, 9], [1, 1]]),
        values("s32", 3, 2, seed=1), [], [1], [1],
        2,
        batching=([0], [0]))
    add("indices_of_rank_two", p, tensor("s32", [[0, 1], [1, 7]]), values("s32", 2, 2, 5), [2], [0], [0], 2)
    for opcode in ("multiply", "minimum", "maximum", "and", "xor", "subtract"):
        add(opcode, p, tensor("s32", [2, 0, 2]), rows, [1], [0], [0], 1, opcode=opcode)
    for kind in ("u8", "s8", "s64", "f32", "f64", "bf16", "f16", "c64", "u16"):
        add(f"of_{kind}", values(kind, 4, 2), tensor("s32", [2, 0, 2, 7]), values(kind, 4, 2, seed=3), [1], [0],
            [0], 1)
    add("of_pred",
        values("pred", 4, 2),
        tensor("s32", [2, 0, 2, 7]),
        values("pred", 4, 2, seed=3), [1], [0], [0],
        1,
        opcode="or")
    for kind in ("u8", "s64", "u32"):
        add(f"by_{kind}", p, tensor(kind, [2, 200, 2]), rows, [1], [0], [0], 1)
    add("by_s64_far", p, tensor("s64", [2**32 + 1, -2**40, 1]), rows, [1], [0], [0], 1)
    add("by_u32_far", p, tensor("u32", [2**32 - 1, 2**31, 1]), rows, [1], [0], [0], 1)
    # The last of the updates of an element stays: XLA:CPU takes them in order.
    replace = computation("replace", {"a": "s32[]", "b": "s32[]"}, [], "s32[] copy(b)")
    dims = scatter_text([1], [0], [0], 1)
    group.add("scatter_replace",
              f"s32[4,5] scatter(p0, p1, p2), {dims}, to_apply=replace", [p, tensor("s32", [1, 3, 1]), rows],
              computations=[replace])
    group.add("scatter_replace_by_parameter",
              f"s32[4,5] scatter(p0, p1, p2), {dims}, to_apply=last", [p, tensor("s32", [1, 3, 1]), rows],
              computations=["last {\n  a = s32[] parameter(0)\n  ROOT b = s32[] parameter(1)\n}"])
    # The order of arguments matters: what is there comes first.
    mix = computation("mix", {"a": "s32[]", "b": "s32[]"}, ["c = s32[] constant(10)", "m = s32[] multiply(a, c)"],
                      "s32[] add(m, b)")
    group.add("scatter_mix",
              f"s32[4,5] scatter(p0, p1, p2), {dims}, to_apply=mix", [p, tensor("s32", [1, 1, 1]), rows],
              computations=[mix])
    both = computation("both", {"a": "s32[]", "b": "f32[]", "c": "s32[]", "d": "f32[]"},
                       ["x = s32[] add(a, c)", "y = f32[] maximum(b, d)"], "(s32[], f32[]) tuple(x, y)")
    group.add("scatter_variadic",
              f"(s32[4,5], f32[4,5]) scatter(p0, p1, p2, p3, p4), {dims}, to_apply=both",
              [p, values("f32", 4, 5),
               tensor("s32", [1, 9, 1]), rows,
               values("f32", 3, 5, seed=8)],
              computations=[both])
    swap = computation("swap", {"a": "s32[]", "b": "s32[]", "c": "s32[]", "d": "s32[]"},
                       ["x = s32[] add(b, c)", "y = s32[] subtract(a, d)"], "(s32[], s32[]) tuple(x, y)")
    group.add("scatter_variadic_mixed",
              f"(s32[4,5], s32[4,5]) scatter(p0, p1, p2, p3, p4), {dims}, to_apply=swap",
              [p, values("s32", 4, 5, seed=5),
               tensor("s32", [1, 0, 1]), rows,
               values("s32", 3, 5, seed=8)],
              computations=[swap])
