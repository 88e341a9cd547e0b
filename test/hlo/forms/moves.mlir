module @jit_moves attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x4xf32>, %arg1: tensor<4x5xf32>) -> (tensor<30xf32> {jax.result_info = "result[0]"}, tensor<7x7xf32> {jax.result_info = "result[1]"}) {
    %0 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<3x4xf32>) -> tensor<4x3xf32>
    %1 = stablehlo.concatenate %0, %arg1, dim = 1 : (tensor<4x3xf32>, tensor<4x5xf32>) -> tensor<4x8xf32>
    %2 = stablehlo.slice %1 [0:4:2, 1:6] : (tensor<4x8xf32>) -> tensor<2x5xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [1, 2] : (tensor<2x5xf32>) -> tensor<1x2x5xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %4 = call @_pad(%3, %c) : (tensor<1x2x5xf32>, tensor<i32>) -> tensor<1x5x6xf32>
    %5 = stablehlo.reverse %4, dims = [1] : tensor<1x5x6xf32>
    %6 = stablehlo.reshape %5 : (tensor<1x5x6xf32>) -> tensor<30xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.pad %arg0, %cst, low = [1, 0], high = [-1, 3], interior = [2, 0] : (tensor<3x4xf32>, tensor<f32>) -> tensor<7x7xf32>
    return %6, %7 : tensor<30xf32>, tensor<7x7xf32>
  }
  func.func private @_pad(%arg0: tensor<1x2x5xf32>, %arg1: tensor<i32>) -> tensor<1x5x6xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.pad %arg0, %0, low = [0, 1, 0], high = [0, 2, 1], interior = [0, 0, 0] : (tensor<1x2x5xf32>, tensor<f32>) -> tensor<1x5x6xf32>
    return %1 : tensor<1x5x6xf32>
  }
}
