"builtin.module"() <{sym_name = "jit_moves"}> ({
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<3x4xf32>, tensor<4x5xf32>) -> (tensor<30xf32>, tensor<7x7xf32>), res_attrs = [{jax.result_info = "result[0]"}, {jax.result_info = "result[1]"}], sym_name = "main", sym_visibility = "public"}> ({
  ^bb0(%arg2: tensor<3x4xf32>, %arg3: tensor<4x5xf32>):
    %2 = "stablehlo.transpose"(%arg2) <{permutation = array<i64: 1, 0>}> : (tensor<3x4xf32>) -> tensor<4x3xf32>
    %3 = "stablehlo.concatenate"(%2, %arg3) <{dimension = 1 : i64}> : (tensor<4x3xf32>, tensor<4x5xf32>) -> tensor<4x8xf32>
    %4 = "stablehlo.slice"(%3) <{limit_indices = array<i64: 4, 6>, start_indices = array<i64: 0, 1>, strides = array<i64: 2, 1>}> : (tensor<4x8xf32>) -> tensor<2x5xf32>
    %5 = "stablehlo.broadcast_in_dim"(%4) <{broadcast_dimensions = array<i64: 1, 2>}> : (tensor<2x5xf32>) -> tensor<1x2x5xf32>
    %6 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %7 = "func.call"(%5, %6) <{callee = @_pad}> : (tensor<1x2x5xf32>, tensor<i32>) -> tensor<1x5x6xf32>
    %8 = "stablehlo.reverse"(%7) <{dimensions = array<i64: 1>}> : (tensor<1x5x6xf32>) -> tensor<1x5x6xf32>
    %9 = "stablehlo.reshape"(%8) : (tensor<1x5x6xf32>) -> tensor<30xf32>
    %10 = "stablehlo.constant"() <{value = dense<0.000000e+00> : tensor<f32>}> : () -> tensor<f32>
    %11 = "stablehlo.pad"(%arg2, %10) <{edge_padding_high = array<i64: -1, 3>, edge_padding_low = array<i64: 1, 0>, interior_padding = array<i64: 2, 0>}> : (tensor<3x4xf32>, tensor<f32>) -> tensor<7x7xf32>
    "func.return"(%9, %11) : (tensor<30xf32>, tensor<7x7xf32>) -> ()
  }) : () -> ()
  "func.func"() <{arg_attrs = [{}, {}], function_type = (tensor<1x2x5xf32>, tensor<i32>) -> tensor<1x5x6xf32>, res_attrs = [{}], sym_name = "_pad", sym_visibility = "private"}> ({
  ^bb0(%arg0: tensor<1x2x5xf32>, %arg1: tensor<i32>):
    %0 = "stablehlo.convert"(%arg1) : (tensor<i32>) -> tensor<f32>
    %1 = "stablehlo.pad"(%arg0, %0) <{edge_padding_high = array<i64: 0, 2, 1>, edge_padding_low = array<i64: 0, 1, 0>, interior_padding = array<i64: 0, 0, 0>}> : (tensor<1x2x5xf32>, tensor<f32>) -> tensor<1x5x6xf32>
    "func.return"(%1) : (tensor<1x5x6xf32>) -> ()
  }) : () -> ()
}) {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} : () -> ()
