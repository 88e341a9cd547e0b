module @jit_elements attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x2xf32>, %arg1: tensor<5xi32>) -> (tensor<3x2xf32> {jax.result_info = "result[0]"}, tensor<3x2xf32> {jax.result_info = "result[1]"}, tensor<3x2xf32> {jax.result_info = "result[2]"}, tensor<3x2xf32> {jax.result_info = "result[3]"}, tensor<5xi32> {jax.result_info = "result[4]"}, tensor<5xi32> {jax.result_info = "result[5]"}, tensor<3x2xbf16> {jax.result_info = "result[6]"}, tensor<3x2xi32> {jax.result_info = "result[7]"}, tensor<3x2xf32> {jax.result_info = "result[8]"}, tensor<3x2xf32> {jax.result_info = "result[9]"}) {
    %cst = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
    %1 = stablehlo.compare GT, %arg0, %0, FLOAT : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xi1>
    %2 = stablehlo.exponential %arg0 : tensor<3x2xf32>
    %c = stablehlo.constant dense<-1> : tensor<i32>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %3 = call @clip(%arg0, %c, %c_0) : (tensor<3x2xf32>, tensor<i32>, tensor<i32>) -> tensor<3x2xf32>
    %4 = call @_where(%1, %2, %3) : (tensor<3x2xi1>, tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    %5 = chlo.erf %arg0 : tensor<3x2xf32> -> tensor<3x2xf32>
    %6 = chlo.atan %arg0 : tensor<3x2xf32> -> tensor<3x2xf32>
    %7 = chlo.square %arg0 : tensor<3x2xf32> -> tensor<3x2xf32>
    %c_1 = stablehlo.constant dense<2> : tensor<i32>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<5xi32>
    %9 = stablehlo.shift_left %arg1, %8 : tensor<5xi32>
    %10 = stablehlo.popcnt %arg1 : tensor<5xi32>
    %11 = stablehlo.convert %arg0 : (tensor<3x2xf32>) -> tensor<3x2xbf16>
    %12 = stablehlo.bitcast_convert %arg0 : (tensor<3x2xf32>) -> tensor<3x2xi32>
    %13 = stablehlo.reduce_precision %arg0, format = e5m10 : tensor<3x2xf32>
    %14 = stablehlo.tan %arg0 : tensor<3x2xf32>
    return %4, %5, %6, %7, %9, %10, %11, %12, %13, %14 : tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<5xi32>, tensor<5xi32>, tensor<3x2xbf16>, tensor<3x2xi32>, tensor<3x2xf32>, tensor<3x2xf32>
  }
  func.func private @clip(%arg0: tensor<3x2xf32>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<3x2xf32> {
    %0 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
    %2 = stablehlo.maximum %1, %arg0 : tensor<3x2xf32>
    %3 = stablehlo.convert %arg2 : (tensor<i32>) -> tensor<f32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [] : (tensor<f32>) -> tensor<3x2xf32>
    %5 = stablehlo.minimum %4, %2 : tensor<3x2xf32>
    return %5 : tensor<3x2xf32>
  }
  func.func private @_where(%arg0: tensor<3x2xi1>, %arg1: tensor<3x2xf32>, %arg2: tensor<3x2xf32>) -> tensor<3x2xf32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<3x2xi1>, tensor<3x2xf32>
    return %0 : tensor<3x2xf32>
  }
}
