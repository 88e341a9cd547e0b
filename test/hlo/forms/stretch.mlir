module @jit_stretch attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<4x5xf32>) -> (tensor<4x3x5xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 2] : (tensor<4x5xf32>) -> tensor<4x1x5xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<4x3x1xf32>
    %2 = stablehlo.iota dim = 0 : tensor<5xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [2] : (tensor<5xf32>) -> tensor<1x1x5xf32>
    %4 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2] : (tensor<4x3x1xf32>) -> tensor<4x3x5xf32>
    %5 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<1x1x5xf32>) -> tensor<4x3x5xf32>
    %6 = stablehlo.multiply %4, %5 : tensor<4x3x5xf32>
    %7 = stablehlo.broadcast_in_dim %0, dims = [0, 1, 2] : (tensor<4x1x5xf32>) -> tensor<4x3x5xf32>
    %8 = stablehlo.add %7, %6 : tensor<4x3x5xf32>
    return %8 : tensor<4x3x5xf32>
  }
}
