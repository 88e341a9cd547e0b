"""rng-bit-generator: the same bits as XLA. (rng draws from no seed that a program states, and is left out.)"""

from building import Group, identifier
from tensors import tensor

SHAPES = {"u32": ("", "5", "2,3", "8", "9", "0"), "u64": ("5", "2,2", "")}


def programs():
    group = Group("random_bits")
    for algorithm in ("rng_three_fry", "rng_philox", "rng_default"):
        for state in ([5, 7], [2**64 - 1, 2**64 - 3]) + (
            ([99, 2**64 - 2, 5], [1, 2, 3]) if algorithm != "rng_three_fry" else ()):
            for kind, shapes in SHAPES.items():
                for shape in shapes:
                    add(group, algorithm, state, kind, shape)
        for kind in ("u8", "u16", "u4"):
            add(group, algorithm, [5, 7], kind, "6")
        # A state that goes round.
        add_chain(group, algorithm)
    return group


def add(group, algorithm, state, kind, shape):
    n = len(state)
    name = identifier(algorithm, kind, shape or "scalar", "state", n, state[0] % 1000)
    group.add(name, f"(u64[{n}], {kind}[{shape}]) rng-bit-generator(p0), algorithm={algorithm}",
              [tensor("u64", state)])


def add_chain(group, algorithm):
    call = "(u64[2], u32[3]) rng-bit-generator"
    lines = [
        f"a = {call}(p0), algorithm={algorithm}", "s = u64[2] get-tuple-element(a), index=0",
        f"b = {call}(s), algorithm={algorithm}", "x = u32[3] get-tuple-element(a), index=1",
        "y = u32[3] get-tuple-element(b), index=1", "z = u64[2] get-tuple-element(b), index=0"
    ]
    group.add(identifier(algorithm, "chain"), ["u32[3] copy(x)", "u32[3] copy(y)", "u64[2] copy(z)"],
              [tensor("u64", [17, 2**64 - 1])],
              lines=lines)
