"""Collectives and identifiers with one replica."""

from building import Group, combiner, identifier, values
from tensors import tensor


def programs():
    group = Group("collectives")
    p = values("f32", 2, 3)
    add = combiner("add", "f32")
    group.add("replica_id", "u32[] replica-id()")
    group.add("partition_id", "u32[] partition-id()")
    for kind in ("f32", "s32", "bf16", "pred", "u8", "c64"):
        opcode = "or" if kind == "pred" else "add"
        group.add(identifier("all_reduce", kind),
                  f"{kind}[2,3] all-reduce(p0), replica_groups={{}}, to_apply={opcode}_{kind}",
                  [values(kind, 2, 3)],
                  computations=[combiner(opcode, kind)])
    group.add("all_reduce_groups",
              "f32[2,3] all-reduce(p0), replica_groups={{0}}, to_apply=add_f32", [p],
              computations=[add])
    group.add("all_reduce_several",
              "(f32[2,3], f32[4]) all-reduce(p0, p1), replica_groups={}, to_apply=add_f32", [p, values("f32", 4)],
              computations=[add])
    group.add("all_gather", "f32[2,3] all-gather(p0), replica_groups={{0}}, dimensions={0}", [p])
    group.add("reduce_scatter",
              "f32[2,3] reduce-scatter(p0), replica_groups={{0}}, dimensions={1}, to_apply=add_f32", [p],
              computations=[add])
    group.add("all_to_all", "f32[2,3] all-to-all(p0), replica_groups={{0}}, dimensions={0}", [p])
    group.add("all_to_all_tuple", "(f32[2,3]) all-to-all(p0), replica_groups={{0}}", [p])
    group.add("collective_permute", "f32[2,3] collective-permute(p0), source_target_pairs={{0,0}}", [p])
    # Nobody sends to this one: zeros.
    group.add("collective_permute_without_pairs", "f32[2,3] collective-permute(p0), source_target_pairs={}", [p])
    group.add("collective_broadcast", "f32[2,3] collective-broadcast(p0), replica_groups={{0}}", [p])
    group.add("all_reduce_start",
              "f32[2,3] all-reduce-done(s)", [p],
              lines=["s = f32[2,3] all-reduce-start(p0), replica_groups={}, to_apply=add_f32"],
              computations=[add])
    group.add("all_gather_start",
              "f32[2,3] all-gather-done(s)", [p],
              lines=["s = (f32[2,3], f32[2,3]) all-gather-start(p0), replica_groups={{0}}, dimensions={0}"])
    group.add("collective_permute_start",
              "f32[2,3] collective-permute-done(s)", [p],
              lines=["s = (f32[2,3], f32[2,3]) collective-permute-start(p0), source_target_pairs={{0,0}}"])
    group.add(
        "ragged_all_to_all", "f32[4] ragged-all-to-all(p0, p1, p2, p3, p4, p3), replica_groups={{0}}",
        [values("f32", 4),
         values("f32", 4, seed=1),
         tensor("s32", [1]),
         tensor("s32", [2]),
         tensor("s32", [0])])
    return group
