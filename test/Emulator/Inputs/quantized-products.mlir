// Layers of quantized operands: their products are those of 8 bits on tensor
// cores, and scales, bias and the next quantization are their epilogues.
func.func @main(%x: tensor<?x528xf16> {tripy.name = "x", tripy.profile = #tripy.profile<min = [1, 528], opt = [96, 528], max = [300, 528]>},
    %w: tensor<272x528xi8> {tripy.name = "w"}, %v: tensor<272x528xf8E4M3FN> {tripy.name = "v"},
    %t: tensor<272xf16> {tripy.name = "t"}, %b: tensor<272xf16> {tripy.name = "b"})
    -> (tensor<?x272xf16> {tripy.name = "y0"}, tensor<?x272xf16> {tripy.name = "y1"}, tensor<?x272xf16> {tripy.name = "y2"}) {
  %s = trace.constant dense<7.8125e-03> : tensor<f16>
  %e = trace.constant dense<2.5e-01> : tensor<f16>
  %q = trace.quantize %x, %s to i8 : (tensor<?x528xf16>, tensor<f16>) -> tensor<?x528xi8>
  %d = trace.dequantize %q, %s : (tensor<?x528xi8>, tensor<f16>) -> tensor<?x528xf16>
  %wd = trace.dequantize %w, %t dim = 0 : (tensor<272x528xi8>, tensor<272xf16>) -> tensor<272x528xf16>
  %y0 = trace.linear %d, %wd, %b : (tensor<?x528xf16>, tensor<272x528xf16>, tensor<272xf16>) -> tensor<?x272xf16>
  %f = trace.quantize %x, %e to f8E4M3FN : (tensor<?x528xf16>, tensor<f16>) -> tensor<?x528xf8E4M3FN>
  %g = trace.dequantize %f, %e : (tensor<?x528xf8E4M3FN>, tensor<f16>) -> tensor<?x528xf16>
  %vd = trace.dequantize %v, %t dim = 0 : (tensor<272x528xf8E4M3FN>, tensor<272xf16>) -> tensor<272x528xf16>
  %y1 = trace.linear %g, %vd : (tensor<?x528xf16>, tensor<272x528xf16>) -> tensor<?x272xf16>
  %z = trace.constant dense<0.5> : tensor<f16>
  %n = trace.linear %d, %wd : (tensor<?x528xf16>, tensor<272x528xf16>) -> tensor<?x272xf16>
  %r = trace.relu %n : (tensor<?x272xf16>) -> tensor<?x272xf16>
  %y2 = trace.mul %r, %z : (tensor<?x272xf16>, tensor<f16>) -> tensor<?x272xf16>
  return %y0, %y1, %y2 : tensor<?x272xf16>, tensor<?x272xf16>, tensor<?x272xf16>
}
