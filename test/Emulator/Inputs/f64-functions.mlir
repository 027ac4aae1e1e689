// Every function of f64 that is made of exp(x) - 1, log(1 + x), angles and quotients.
func.func @main(%x: tensor<257xf64> {tripy.name = "x"}, %y: tensor<257xf64> {tripy.name = "y"})
    -> (tensor<257xf64> {tripy.name = "r0"}, tensor<257xf64> {tripy.name = "r1"}, tensor<257xf64> {tripy.name = "r2"}, tensor<257xf64> {tripy.name = "r3"}, tensor<257xf64> {tripy.name = "r4"}, tensor<257xf64> {tripy.name = "r5"}, tensor<257xf64> {tripy.name = "r6"}, tensor<257xf64> {tripy.name = "r7"}, tensor<257xf64> {tripy.name = "r8"}, tensor<257xf64> {tripy.name = "r9"}, tensor<257xf64> {tripy.name = "r10"}, tensor<257xf64> {tripy.name = "r11"}, tensor<257xf64> {tripy.name = "r12"}, tensor<257xf64> {tripy.name = "r13"}, tensor<257xf64> {tripy.name = "r14"}, tensor<257xf64> {tripy.name = "r15"}, tensor<257xf64> {tripy.name = "r16"}) {
  %k = trace.constant dense<1.0e+01> : tensor<f64>
  %w = trace.mul %x, %k : (tensor<257xf64>, tensor<f64>) -> tensor<257xf64>
  %z = trace.abs %w : (tensor<257xf64>) -> tensor<257xf64>
  %r0 = trace.acos %x : (tensor<257xf64>) -> tensor<257xf64>
  %r1 = trace.acosh %z : (tensor<257xf64>) -> tensor<257xf64>
  %r2 = trace.asin %x : (tensor<257xf64>) -> tensor<257xf64>
  %r3 = trace.asinh %w : (tensor<257xf64>) -> tensor<257xf64>
  %r4 = trace.atan %w : (tensor<257xf64>) -> tensor<257xf64>
  %r5 = trace.atanh %x : (tensor<257xf64>) -> tensor<257xf64>
  %r6 = trace.cbrt %w : (tensor<257xf64>) -> tensor<257xf64>
  %r7 = trace.cosh %w : (tensor<257xf64>) -> tensor<257xf64>
  %r8 = trace.expm1 %w : (tensor<257xf64>) -> tensor<257xf64>
  %r9 = trace.log10 %z : (tensor<257xf64>) -> tensor<257xf64>
  %r10 = trace.log1p %z : (tensor<257xf64>) -> tensor<257xf64>
  %r11 = trace.mish %w : (tensor<257xf64>) -> tensor<257xf64>
  %r12 = trace.sinh %w : (tensor<257xf64>) -> tensor<257xf64>
  %r13 = trace.softplus %w : (tensor<257xf64>) -> tensor<257xf64>
  %r14 = trace.elu %w alpha = 1.5 : (tensor<257xf64>) -> tensor<257xf64>
  %r15 = trace.atan2 %w, %y : (tensor<257xf64>, tensor<257xf64>) -> tensor<257xf64>
  %r16 = trace.mod %w, %y : (tensor<257xf64>, tensor<257xf64>) -> tensor<257xf64>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15, %r16 : tensor<257xf64>, tensor<257xf64>, tensor<257xf64>, tensor<257xf64>, tensor<257xf64>, tensor<257xf64>, tensor<257xf64>, tensor<257xf64>, tensor<257xf64>, tensor<257xf64>, tensor<257xf64>, tensor<257xf64>, tensor<257xf64>, tensor<257xf64>, tensor<257xf64>, tensor<257xf64>, tensor<257xf64>
}
