"""Instructions that move data: nothing is computed, so that every result is exact."""

from building import SOME_TYPES, Group, identifier, values
from tensors import COMPLEX, DTYPES, F8, FLOATS, tensor

nan = float("nan")


def programs():
    group = Group("movement")
    for name in SOME_TYPES:
        every_kind(group, name)
    broadcasts(group)
    transposes(group)
    slices(group)
    pads(group)
    concatenates(group)
    iotas(group)
    constants(group)
    reshapes(group)
    layouts(group)
    return group


def every_kind(group, name):
    """One of each instruction, for the element type."""
    p = values(name, 3, 4)

    def add(opcode, result, *more):
        group.add(identifier(opcode, name), result, [p, *more], exact_nan=True)

    add("broadcast", f"{name}[2,3,4] broadcast(p0), dimensions={{1,2}}")
    add("transpose", f"{name}[4,3] transpose(p0), dimensions={{1,0}}")
    add("reshape", f"{name}[2,6] reshape(p0)")
    add("reverse", f"{name}[3,4] reverse(p0), dimensions={{1}}")
    add("slice", f"{name}[2,2] slice(p0), slice={{[0:3:2], [1:3]}}")
    add("pad", f"{name}[5,7] pad(p0, p1), padding=1_1x-1_1_1", values(name, seed=2))
    add("concatenate", f"{name}[5,4] concatenate(p0, p1)" + ", dimensions={0}", values(name, 2, 4, seed=1))
    add("dynamic_slice", f"{name}[2,2] dynamic-slice(p0, p1, p2), dynamic_slice_sizes={{2,2}}", tensor("s32", 1),
        tensor("s32", 9))
    add("dynamic_update_slice", f"{name}[3,4] dynamic-update-slice(p0, p1, p2, p3)", values(name, 2, 2, seed=4),
        tensor("s32", -5), tensor("s32", 1))
    add(
        "gather",
        f"{name}[4,3] gather(p0, p1), offset_dims={{1}}, collapsed_slice_dims={{1}}, start_index_map={{1}}, index_vector_dim=1, slice_sizes={{3,1}}",
        tensor("s32", [3, 0, 9, -2]))


def broadcasts(group):
    group.add("broadcast_scalar", "f32[2,3] broadcast(p0), dimensions={}", [tensor("f32", 1.5)])
    group.add("broadcast_scalar_nan", "f32[4] broadcast(p0), dimensions={}", [tensor("f32", nan)])
    group.add("broadcast_middle", "s32[2,3,2] broadcast(p0), dimensions={1}", [values("s32", 3)])
    group.add("broadcast_unordered", "s32[3,2] broadcast(p0), dimensions={1,0}", [values("s32", 2, 3)])
    group.add("broadcast_unordered_three", "s32[4,2,3] broadcast(p0), dimensions={2,0}", [values("s32", 3, 4)])
    group.add("broadcast_empty", "s32[0,3] broadcast(p0), dimensions={1}", [values("s32", 3)])
    group.add("broadcast_of_empty", "s32[2,0] broadcast(p0), dimensions={1}", [values("s32", 0)])
    group.add("broadcast_same", "s32[3] broadcast(p0), dimensions={0}", [values("s32", 3)])
    group.add("broadcast_size_one", "s32[1,3,1] broadcast(p0), dimensions={0,1}", [values("s32", 1, 3)])


def transposes(group):
    p = values("s32", 2, 3, 4)
    sizes = (2, 3, 4)
    for order in ((0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 0, 1), (2, 1, 0), (0, 1, 2)):
        shape = ",".join(str(sizes[d]) for d in order)
        group.add(identifier("transpose", *order),
                  f"s32[{shape}] transpose(p0), dimensions={{{','.join(map(str, order))}}}", [p])
    group.add("transpose_scalar", "f32[] transpose(p0), dimensions={}", [tensor("f32", 2.5)])
    group.add("transpose_empty", "f32[0,2] transpose(p0), dimensions={1,0}", [values("f32", 2, 0)])
    group.add("transpose_four", "u8[2,2,3,2] transpose(p0), dimensions={3,1,0,2}", [values("u8", 3, 2, 2, 2)])
    for dimensions in ((0, ), (0, 1), (0, 1, 2), (2, 0), ()):
        group.add(identifier("reverse_dims", *dimensions),
                  f"s32[2,3,4] reverse(p0), dimensions={{{','.join(map(str, dimensions))}}}", [p])
    group.add("reverse_empty", "f32[0,2] reverse(p0), dimensions={0,1}", [values("f32", 0, 2)])


def slices(group):
    p = values("s32", 5, 6)
    for name, shape, slices_text in (("all", "5,6", "[0:5], [0:6]"), ("one", "1,1", "[4:5], [5:6]"),
                                     ("strided", "2,2", "[1:5:3], [0:6:4]"),
                                     ("stride_beyond", "1,1", "[2:5:9], [0:1:7]"), ("empty", "0,6", "[3:3], [0:6]"),
                                     ("empty_strided", "5,0", "[0:5], [6:6:2]"), ("odd", "3,3",
                                                                                  "[0:5:2], [1:6:2]")):
        group.add(identifier("slice", name), f"s32[{shape}] slice(p0), slice={{{slices_text}}}", [p])
    group.add("slice_scalar", "s32[] slice(p0), slice={}", [tensor("s32", 7)])
    for kind in ("s8", "s32", "s64", "u8", "u32", "u64"):
        group.add(identifier("dynamic_slice_by",
                             kind), f"s32[2,3] dynamic-slice(p0, p1, p2), dynamic_slice_sizes={{2,3}}",
                  [p, tensor(kind, 127), tensor(kind, 2)])
        if kind.startswith("s"):
            group.add(identifier("dynamic_slice_below",
                                 kind), f"s32[2,3] dynamic-slice(p0, p1, p2), dynamic_slice_sizes={{2,3}}",
                      [p, tensor(kind, -128), tensor(kind, 3)])
    group.add("dynamic_slice_s64_far", "s32[2,3] dynamic-slice(p0, p1, p2), dynamic_slice_sizes={2,3}",
              [p, tensor("s64", 2**40 + 1), tensor("s64", -2**62)])
    group.add("dynamic_slice_u64_far", "s32[2,3] dynamic-slice(p0, p1, p2), dynamic_slice_sizes={2,3}",
              [p, tensor("u64", 2**32), tensor("u64", 1)])
    group.add("dynamic_slice_all", "s32[5,6] dynamic-slice(p0, p1, p1), dynamic_slice_sizes={5,6}",
              [p, tensor("s32", 3)])
    group.add("dynamic_slice_empty", "s32[0,6] dynamic-slice(p0, p1, p1), dynamic_slice_sizes={0,6}",
              [p, tensor("s32", 3)])
    group.add("dynamic_slice_scalar", "s32[] dynamic-slice(p0), dynamic_slice_sizes={}", [tensor("s32", 3)])
    # One clamped by the other's result: the sum of the starts is not the start of the sum.
    group.add("dynamic_slice_nested",
              "s32[2] dynamic-slice(a, p2), dynamic_slice_sizes={2}",
              [values("s32", 10), tensor("s32", 8), tensor("s32", 2)],
              lines=["a = s32[5] dynamic-slice(p0, p1), dynamic_slice_sizes={5}"])
    for kind, starts in (("s32", (9, -3)), ("u8", (200, 1)), ("s64", (-2**50, 2**50)), ("s8", (1, 2))):
        group.add(identifier("dynamic_update_slice_by", kind), "s32[5,6] dynamic-update-slice(p0, p1, p2, p3)",
                  [p, values("s32", 2, 3, seed=9),
                   tensor(kind, starts[0]),
                   tensor(kind, starts[1])])
    group.add("dynamic_update_slice_all", "s32[2,3] dynamic-update-slice(p0, p1, p2, p2)",
              [values("s32", 2, 3), values("s32", 2, 3, seed=5),
               tensor("s32", 1)])
    group.add("dynamic_update_slice_empty", "s32[2,3] dynamic-update-slice(p0, p1, p2, p2)",
              [values("s32", 2, 3), values("s32", 0, 3), tensor("s32", 1)])
    group.add("dynamic_update_slice_scalar", "s32[] dynamic-update-slice(p0, p1)",
              [tensor("s32", 1), tensor("s32", 2)])


def pads(group):
    p, value = values("s32", 3, 4), tensor("s32", -1)
    for name, shape, padding in (("none", "3,4", "0_0x0_0"), ("low", "5,4", "2_0x0_0"), ("high", "3,7", "0_0x0_3"),
                                 ("interior", "5,10", "0_0_1x0_0_2"), ("all", "8,13", "1_2_1x3_0_2"),
                                 ("negative", "1,2", "-1_-1x0_-2"), ("negative_low_interior", "4,4", "-1_0_1x0_0"),
                                 ("negative_beyond", "3,4", "-5_5x0_0"), ("negative_all", "0,4", "-3_0x0_0"),
                                 ("negative_into_interior", "3,8", "0_0x-3_1_2"), ("to_empty", "3,0", "0_0x-2_-2")):
        group.add(identifier("pad", name), f"s32[{shape}] pad(p0, p1), padding={padding}", [p, value])
    group.add("pad_empty", "s32[3,4] pad(p0, p1), padding=1_2x0_0", [values("s32", 0, 4), value])
    group.add("pad_empty_interior", "s32[2,4] pad(p0, p1), padding=1_1_5x0_0", [values("s32", 0, 4), value])
    group.add("pad_one_interior", "s32[3] pad(p0, p1), padding=1_1_5", [values("s32", 1), value])
    group.add("pad_scalar", "s32[] pad(p0, p1), padding=", [tensor("s32", 3), value])


def concatenates(group):
    a, b, c = values("s32", 2, 3), values("s32", 2, 1, seed=1), values("s32", 2, 2, seed=2)
    group.add("concatenate_three", "s32[2,6] concatenate(p0, p1, p2), dimensions={1}", [a, b, c])
    group.add("concatenate_one", "s32[2,3] concatenate(p0), dimensions={0}", [a])
    group.add("concatenate_same", "s32[6,3] concatenate(p0, p0, p0), dimensions={0}", [a])
    group.add("concatenate_with_empty", "s32[2,3] concatenate(p0, p1), dimensions={1}", [a, values("s32", 2, 0)])
    group.add("concatenate_all_empty", "s32[0,5] concatenate(p0, p1), dimensions={1}",
              [values("s32", 0, 2), values("s32", 0, 3)])


def iotas(group):
    for name in ("s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64", "c64", "c128",
                 "s4", "u4", "f8e5m2", "f8e4m3fn"):
        group.add(identifier("iota", name), f"{name}[7] iota(), iota_dimension=0")
    for dimension in range(3):
        group.add(identifier("iota_dimension", dimension), f"s32[2,3,2] iota(), iota_dimension={dimension}")
    group.add("iota_empty", "s32[0,3] iota(), iota_dimension=1")
    # Beyond what the type holds.
    group.add("iota_u8_last", "u8[4] slice(a), slice={[298:302]}", lines=["a = u8[302] iota(), iota_dimension=0"])
    group.add("iota_bf16_rounded",
              "bf16[6] slice(a), slice={[256:262]}",
              lines=["a = bf16[262] iota(), iota_dimension=0"])


def constants(group):
    # XLA reads -0 as an integer, and then as 0.
    texts = {
        "pred": "{1, 0, true, false}",
        "s2": "{-2, 1, 0, -1}",
        "s4": "{-8, 7, 0, -1}",
        "s8": "{-128, 127, 0, -1}",
        "s16": "{-32768, 32767, 0, -1}",
        "s32": "{-2147483648, 2147483647, 0, -1}",
        "s64": "{-9223372036854775808, 9223372036854775807, 0, -1}",
        "u2": "{3, 2, 1, 0}",
        "u4": "{15, 8, 1, 0}",
        "u8": "{255, 128, 1, 0}",
        "u16": "{65535, 1, 2, 3}",
        "u32": "{4294967295, 1, 2, 3}",
        "u64": "{18446744073709551615, 1, 2, 3}",
        "c64": "{(1, -2.5), (0.1, -0.0), (inf, nan), (0, 1e-3)}",
        "c128": "{(1, -2.5), (0.1, -0.0), (inf, nan), (0, 1e-300)}",
    }
    for name in DTYPES:
        if name in FLOATS:
            texts[
                name] = "{1, 2, 4, 0.5}" if name == "f8e8m0fnu" else "{0.5, -1.5, 3, 6}" if name == "f4e2m1fn" else "{0.1, -3.3, 1e-1, 0}" if name in F8 else "{0.1, -3.3e4, nan, -0.0}"
    for name, text in texts.items():
        group.add(identifier("constant", name),
                  f"{name}[4] constant({text})",
                  exact_nan=name not in FLOATS + COMPLEX)
    group.add("constant_nested", "s32[2,2,1] constant({ { {1}, {2} }, { {3}, {4} } })")
    group.add("constant_scalar", "f32[] constant(-inf)")
    group.add("constant_empty", "s32[0] constant({})")
    group.add("constant_tuple_elements",
              ["s32[] get-tuple-element(t), index=0", "f32[2] get-tuple-element(t), index=1"],
              lines=["t = (s32[], f32[2]) constant((7, {1.5, -0.0}))"])


def reshapes(group):
    p = values("s32", 2, 3, 4)
    for shape in ("24", "4,6", "1,24,1", "2,1,3,1,4", "6,4", "3,2,4"):
        group.add(identifier("reshape_to", shape), f"s32[{shape}] reshape(p0)", [p])
    group.add("reshape_scalar", "s32[] reshape(p0)", [values("s32", 1, 1)])
    group.add("reshape_to_one", "s32[1,1] reshape(p0)", [tensor("s32", 5)])
    group.add("reshape_empty", "s32[3,0,5] reshape(p0)", [values("s32", 0, 7)])
    group.add("reshape_of_transpose",
              "s32[12] reshape(t)", [values("s32", 3, 4)],
              lines=["t = s32[4,3] transpose(p0), dimensions={1,0}"])


def layouts(group):
    """Layouts change where elements lie, but not their values."""
    p = values("s32", 3, 4)
    group.add("copy_to_column_major", "s32[12] reshape(c)", [p], lines=["c = s32[3,4]{0,1} copy(p0)"])
    group.add("transpose_of_column_major",
              "s32[4,3] transpose(c), dimensions={1,0}", [p],
              lines=["c = s32[3,4]{0,1} copy(p0)"])
    group.add("reverse_of_column_major",
              "s32[3,4] reverse(c), dimensions={0}", [p],
              lines=["c = s32[3,4]{0,1} copy(p0)"])
    group.add("bitcast_reshape", "s32[4,3]{1,0} bitcast(p0)", [p])
    group.add("bitcast_transposed", "s32[4,3]{1,0} bitcast(c)", [p], lines=["c = s32[3,4]{0,1} copy(p0)"])
