// A transformer block of one sequence: nine launches of eight kernels, with --attention=never.
func.func @main(%x: tensor<?x256xf16> {tripy.name = "x", tripy.dims = ["tokens", ""], tripy.profile = #tripy.profile<min = [1, 256], opt = [64, 256], max = [512, 256]>},
    %wq: tensor<256x256xf16> {tripy.name = "wq"}, %wk: tensor<256x256xf16> {tripy.name = "wk"},
    %wv: tensor<256x256xf16> {tripy.name = "wv"}, %wo: tensor<256x256xf16> {tripy.name = "wo"},
    %w1: tensor<1024x256xf16> {tripy.name = "w1"}, %w2: tensor<256x1024xf16> {tripy.name = "w2"},
    %b: tensor<256xf16> {tripy.name = "b"}, %g: tensor<256xf16> {tripy.name = "g"}) -> tensor<?x256xf16> {
  %q = trace.linear %x, %wq, %b : (tensor<?x256xf16>, tensor<256x256xf16>, tensor<256xf16>) -> tensor<?x256xf16>
  %k = trace.linear %x, %wk, %b : (tensor<?x256xf16>, tensor<256x256xf16>, tensor<256xf16>) -> tensor<?x256xf16>
  %v = trace.linear %x, %wv, %b : (tensor<?x256xf16>, tensor<256x256xf16>, tensor<256xf16>) -> tensor<?x256xf16>
  %kt = trace.transpose %k dims = 0, 1 : (tensor<?x256xf16>) -> tensor<256x?xf16>
  %s = trace.matmul %q, %kt : (tensor<?x256xf16>, tensor<256x?xf16>) -> tensor<?x?xf16>
  %p = trace.softmax %s dim = 1 : (tensor<?x?xf16>) -> tensor<?x?xf16>
  %a = trace.matmul %p, %v : (tensor<?x?xf16>, tensor<?x256xf16>) -> tensor<?x256xf16>
  %o = trace.linear %a, %wo, %b : (tensor<?x256xf16>, tensor<256x256xf16>, tensor<256xf16>) -> tensor<?x256xf16>
  %r = trace.add %o, %x : (tensor<?x256xf16>, tensor<?x256xf16>) -> tensor<?x256xf16>
  %n = trace.softmax %r dim = 1 : (tensor<?x256xf16>) -> tensor<?x256xf16>
  %h = trace.linear %n, %w1 : (tensor<?x256xf16>, tensor<1024x256xf16>) -> tensor<?x1024xf16>
  %e = trace.gelu %h : (tensor<?x1024xf16>) -> tensor<?x1024xf16>
  %y = trace.linear %e, %w2, %g : (tensor<?x1024xf16>, tensor<256x1024xf16>, tensor<256xf16>) -> tensor<?x256xf16>
  %z = trace.add %y, %r : (tensor<?x256xf16>, tensor<?x256xf16>) -> tensor<?x256xf16>
  %l = trace.softmax %z dim = 1 : (tensor<?x256xf16>) -> tensor<?x256xf16>
  return %l : tensor<?x256xf16>
}
