"""batch-norm-training, -inference and -grad."""

from building import Group, identifier, rough_values, ulps
from tensors import tensor


def programs():
    group = Group("normalization")
    for kind, bound in (("f32", ulps(64,
                                     1e-5)), ("f64", ulps(64,
                                                          1e-13)), ("f16", ulps(4, 4e-3)), ("bf16", ulps(4, 3e-2))):
        for index, shape in ((1, (4, 3)), (0, (3, 4)), (2, (2, 2, 3))):
            sizes, features = ",".join(map(str, shape)), shape[index]
            p = rough_values(kind, *shape)
            scale, offset, mean = (rough_values(kind, features, seed=s) for s in (2, 3, 4))
            variance = tensor(kind, [0.5, 1.25, 2][:features])
            attributes = f"epsilon=0.001, feature_index={index}"
            wide, narrow = f"{kind}[{sizes}]", f"{kind}[{features}]"
            name = identifier(kind, "feature", index)
            group.add(identifier("batch_norm_training", name),
                      f"({wide}, {narrow}, {narrow}) batch-norm-training(p0, p1, p2), {attributes}",
                      [p, scale, offset], bound)
            group.add(identifier("batch_norm_inference",
                                 name), f"{wide} batch-norm-inference(p0, p1, p2, p3, p4), {attributes}",
                      [p, scale, offset, mean, variance], bound)
            group.add(identifier("batch_norm_grad", name),
                      f"({wide}, {narrow}, {narrow}) batch-norm-grad(p0, p1, p2, p3, p4), {attributes}",
                      [p, scale, mean, variance, rough_values(kind, *shape, seed=7)], bound)
    return group
