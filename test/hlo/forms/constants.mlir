module @jit_constants attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main() -> (tensor<2x3xf32> {jax.result_info = "result[0]"}, tensor<3xi1> {jax.result_info = "result[1]"}, tensor<2xcomplex<f32>> {jax.result_info = "result[2]"}, tensor<2xi4> {jax.result_info = "result[3]"}, tensor<2xf8E4M3FN> {jax.result_info = "result[4]"}, tensor<3x3xf32> {jax.result_info = "result[5]"}, tensor<40xi16> {jax.result_info = "result[6]"}, tensor<2xbf16> {jax.result_info = "result[7]"}, tensor<0x2xf32> {jax.result_info = "result[8]"}) {
    %cst = stablehlo.constant dense<[[0.000000e+00, 0.333333343, 0.666666686], [1.000000e+00, 1.33333337, 1.66666663]]> : tensor<2x3xf32>
    %c = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
    %cst_0 = stablehlo.constant dense<[(1.000000e+00,2.000000e+00), (-0.000000e+00,-3.000000e+00)]> : tensor<2xcomplex<f32>>
    %c_1 = stablehlo.constant dense<[1, -2]> : tensor<2xi4>
    %cst_2 = stablehlo.constant dense<[5.000000e-01, -4.480000e+02]> : tensor<2xf8E4M3FN>
    %c_3 = stablehlo.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39]> : tensor<40xi16>
    %cst_4 = stablehlo.constant dense<[0x7F80, 1.500000e+00]> : tensor<2xbf16>
    %cst_5 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<3x3xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<0x2xf32>
    return %cst, %c, %cst_0, %c_1, %cst_2, %0, %c_3, %cst_4, %1 : tensor<2x3xf32>, tensor<3xi1>, tensor<2xcomplex<f32>>, tensor<2xi4>, tensor<2xf8E4M3FN>, tensor<3x3xf32>, tensor<40xi16>, tensor<2xbf16>, tensor<0x2xf32>
  }
}
