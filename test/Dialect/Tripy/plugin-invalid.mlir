// RUN: tripy-opt %s --split-input-file --verify-diagnostics

// One function for each rule, named as it is.

func.func private @C1()
// expected-error @below {{violates [tripy.plugin C1] operands and results are tensors of Tripy's element types but i4, and there is a result; found '(tensor<?xi4>) -> tensor<?xf32>'}}
tripy.plugin @k : (tensor<?xi4>) -> tensor<?xf32> sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%n: index):
  tripy.plugin_sizes results(%n)
}

// -----

func.func private @C1()
// expected-error @below {{violates [tripy.plugin C1] operands and results are tensors of Tripy's element types but i4, and there is a result; found '(tensor<?xf32>) -> ()'}}
tripy.plugin @k : (tensor<?xf32>) -> () sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%n: index):
  tripy.plugin_sizes results()
}

// -----

func.func private @C1()
// expected-error @below {{violates [tripy.plugin C1] operands and results are tensors of Tripy's element types but i4, and there is a result; found '(index) -> tensor<?xf32>'}}
tripy.plugin @k : (index) -> tensor<?xf32> sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%n: index):
  tripy.plugin_sizes results(%n)
}

// -----

func.func private @C2()
// expected-error @below {{violates [tripy.plugin C2] parameters have different names and are of i32, i64, f32 or f64}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> parameters ["a", "a"] : [f32, f32] sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%n: index):
  tripy.plugin_sizes results(%n)
}

// -----

func.func private @C2()
// expected-error @below {{violates [tripy.plugin C2] parameters have different names and are of i32, i64, f32 or f64}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> parameters ["a"] : [f16] sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%n: index):
  tripy.plugin_sizes results(%n)
}

// -----

func.func private @C2()
// expected-error @below {{violates [tripy.plugin C2] parameters have different names and are of i32, i64, f32 or f64}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> parameters ["a"] : [f32, i32] sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%n: index):
  tripy.plugin_sizes results(%n)
}

// -----

func.func private @C2()
// expected-error @below {{violates [tripy.plugin C2] parameters have different names and are of i32, i64, f32 or f64}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> parameters ["a b"] : [f32] sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%n: index):
  tripy.plugin_sizes results(%n)
}

// -----

func.func private @C3()
// expected-error @below {{violates [tripy.plugin C3] the size function has an argument of type index for each dimension of each operand; found 2 arguments}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%n: index, %m: index):
  tripy.plugin_sizes results(%n)
}

// -----

func.func private @C3()
// expected-error @below {{violates [tripy.plugin C3] the size function has an argument of type index for each dimension of each operand; found 1 arguments}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%n: i64):
  tripy.plugin_sizes results()
}

// -----

func.func private @C4()
// expected-error @below {{violates [tripy.plugin C4] the size function is arithmetic on sizes that ends in tripy.plugin_sizes}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%n: index):
  %x = arith.shli %n, %n : index
  tripy.plugin_sizes results(%n)
}

// -----

func.func private @C5()
// expected-error @below {{violates [tripy.plugin C5] the size function gives a size for each dimension of each result, which agrees with the result's type; found 0 sizes, which make tensor<?xf32>}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%n: index):
  tripy.plugin_sizes results()
}

// -----

func.func private @C5()
// The size function decides what is static.
// expected-error @below {{violates [tripy.plugin C5] the size function gives a size for each dimension of each result, which agrees with the result's type; found 1 sizes, which make tensor<?xf32>}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<4xf32> sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%n: index):
  tripy.plugin_sizes results(%n)
}

// -----

func.func private @C5()
// expected-error @below {{violates [tripy.plugin C5] the size function gives a size for each dimension of each result, which agrees with the result's type; found 1 sizes, which make tensor<4xf32>}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%n: index):
  %c = arith.constant 4 : index
  tripy.plugin_sizes results(%c)
}

// -----

func.func private @C5()
// expected-error @below {{violates [tripy.plugin C5] the size function gives a size for each dimension of each result, which agrees with the result's type; found 1 sizes, which make tensor<?xf32>}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<c "k" library = "libk.so">] {
^bb0(%n: index):
  %c = arith.constant -4 : index
  tripy.plugin_sizes results(%c)
}

// -----

func.func private @C6()
// expected-error @below {{violates [tripy.plugin C6] there is at least one source}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [] {
^bb0(%n: index):
  tripy.plugin_sizes results(%n)
}

// -----

func.func private @C7()
// expected-error @below {{violates [tripy.plugin C7] a source of kind ptx or cubin has a file or code, one of kind mlir a module, one of kind c a library, and none has more}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<ptx "k" block = [1, 1, 1]>] {
^bb0(%n: index):
  %one = arith.constant 1 : index
  tripy.plugin_sizes results(%n) grid(%n, %one, %one)
}

// -----

func.func private @C7()
// expected-error @below {{violates [tripy.plugin C7] a source of kind ptx or cubin has a file or code, one of kind mlir a module, one of kind c a library, and none has more}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<ptx "k" file = "a" code = "b" block = [1, 1, 1]>] {
^bb0(%n: index):
  %one = arith.constant 1 : index
  tripy.plugin_sizes results(%n) grid(%n, %one, %one)
}

// -----

func.func private @C7()
// expected-error @below {{violates [tripy.plugin C7] a source of kind ptx or cubin has a file or code, one of kind mlir a module, one of kind c a library, and none has more}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<cubin "k" library = "l" block = [1, 1, 1]>] {
^bb0(%n: index):
  %one = arith.constant 1 : index
  tripy.plugin_sizes results(%n) grid(%n, %one, %one)
}

// -----

func.func private @C7()
// expected-error @below {{violates [tripy.plugin C7] a source of kind ptx or cubin has a file or code, one of kind mlir a module, one of kind c a library, and none has more}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<mlir "k" block = [1, 1, 1]>] {
^bb0(%n: index):
  %one = arith.constant 1 : index
  tripy.plugin_sizes results(%n) grid(%n, %one, %one)
}

// -----

func.func private @C7()
// expected-error @below {{violates [tripy.plugin C7] a source of kind ptx or cubin has a file or code, one of kind mlir a module, one of kind c a library, and none has more}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<mlir "k" file = "a" module = @m block = [1, 1, 1]>] {
^bb0(%n: index):
  %one = arith.constant 1 : index
  tripy.plugin_sizes results(%n) grid(%n, %one, %one)
}

// -----

func.func private @C7()
// expected-error @below {{violates [tripy.plugin C7] a source of kind ptx or cubin has a file or code, one of kind mlir a module, one of kind c a library, and none has more}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<c "k">] {
^bb0(%n: index):
  %one = arith.constant 1 : index
  tripy.plugin_sizes results(%n) grid(%n, %one, %one)
}

// -----

func.func private @C7()
// expected-error @below {{violates [tripy.plugin C7] a source of kind ptx or cubin has a file or code, one of kind mlir a module, one of kind c a library, and none has more}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<c "k" file = "a" library = "l">] {
^bb0(%n: index):
  %one = arith.constant 1 : index
  tripy.plugin_sizes results(%n) grid(%n, %one, %one)
}

// -----

func.func private @C7()
// expected-error @below {{violates [tripy.plugin C7] a source of kind ptx or cubin has a file or code, one of kind mlir a module, one of kind c a library, and none has more}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<hip "k" file = "a" block = [1, 1, 1]>] {
^bb0(%n: index):
  %one = arith.constant 1 : index
  tripy.plugin_sizes results(%n) grid(%n, %one, %one)
}

// -----

func.func private @C8()
// expected-error @below {{violates [tripy.plugin C8] names of entry points, files and libraries have 1 to 1024 bytes, without control characters}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<c "" library = "l">] {
^bb0(%n: index):
  tripy.plugin_sizes results(%n)
}

// -----

func.func private @C8()
// expected-error @below {{violates [tripy.plugin C8] names of entry points, files and libraries have 1 to 1024 bytes, without control characters}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<c "k" library = "">] {
^bb0(%n: index):
  tripy.plugin_sizes results(%n)
}

// -----

func.func private @C8()
// expected-error @below {{violates [tripy.plugin C8] names of entry points, files and libraries have 1 to 1024 bytes, without control characters}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<c "k\n" library = "l">] {
^bb0(%n: index):
  tripy.plugin_sizes results(%n)
}

// -----

func.func private @C9()
// expected-error @below {{violates [tripy.plugin C9] a source for CUDA has a block of 1 to 1024 threads, at most 1024, 1024 and 64 in x, y and z, and one for the CPU has none}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<ptx "k" file = "a" >] {
^bb0(%n: index):
  %one = arith.constant 1 : index
  tripy.plugin_sizes results(%n) grid(%n, %one, %one)
}

// -----

func.func private @C9()
// expected-error @below {{violates [tripy.plugin C9] a source for CUDA has a block of 1 to 1024 threads, at most 1024, 1024 and 64 in x, y and z, and one for the CPU has none}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<ptx "k" file = "a" block = [1, 1]>] {
^bb0(%n: index):
  %one = arith.constant 1 : index
  tripy.plugin_sizes results(%n) grid(%n, %one, %one)
}

// -----

func.func private @C9()
// expected-error @below {{violates [tripy.plugin C9] a source for CUDA has a block of 1 to 1024 threads, at most 1024, 1024 and 64 in x, y and z, and one for the CPU has none}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<ptx "k" file = "a" block = [0, 1, 1]>] {
^bb0(%n: index):
  %one = arith.constant 1 : index
  tripy.plugin_sizes results(%n) grid(%n, %one, %one)
}

// -----

func.func private @C9()
// expected-error @below {{violates [tripy.plugin C9] a source for CUDA has a block of 1 to 1024 threads, at most 1024, 1024 and 64 in x, y and z, and one for the CPU has none}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<ptx "k" file = "a" block = [1025, 1, 1]>] {
^bb0(%n: index):
  %one = arith.constant 1 : index
  tripy.plugin_sizes results(%n) grid(%n, %one, %one)
}

// -----

func.func private @C9()
// expected-error @below {{violates [tripy.plugin C9] a source for CUDA has a block of 1 to 1024 threads, at most 1024, 1024 and 64 in x, y and z, and one for the CPU has none}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<ptx "k" file = "a" block = [1, 1, 65]>] {
^bb0(%n: index):
  %one = arith.constant 1 : index
  tripy.plugin_sizes results(%n) grid(%n, %one, %one)
}

// -----

func.func private @C9()
// expected-error @below {{violates [tripy.plugin C9] a source for CUDA has a block of 1 to 1024 threads, at most 1024, 1024 and 64 in x, y and z, and one for the CPU has none}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<ptx "k" file = "a" block = [1024, 2, 1]>] {
^bb0(%n: index):
  %one = arith.constant 1 : index
  tripy.plugin_sizes results(%n) grid(%n, %one, %one)
}

// -----

func.func private @C9()
// expected-error @below {{violates [tripy.plugin C9] a source for CUDA has a block of 1 to 1024 threads, at most 1024, 1024 and 64 in x, y and z, and one for the CPU has none}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<ptx "k" file = "a" block = [-1, 1, 1]>] {
^bb0(%n: index):
  %one = arith.constant 1 : index
  tripy.plugin_sizes results(%n) grid(%n, %one, %one)
}

// -----

func.func private @C9()
// expected-error @below {{violates [tripy.plugin C9] a source for CUDA has a block of 1 to 1024 threads, at most 1024, 1024 and 64 in x, y and z, and one for the CPU has none}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<c "k" library = "l" block = [1, 1, 1]>] {
^bb0(%n: index):
  tripy.plugin_sizes results(%n)
}

// -----

func.func private @C10()
// expected-error @below {{violates [tripy.plugin C10] arguments of a source for CUDA are operands, results, numbers and parameters that there are, and each result is one of them; found 'operand 1'}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<ptx "k" file = "a" block = [1, 1, 1] arguments = ["operand 1", "result 0"]>] {
^bb0(%n: index):
  %one = arith.constant 1 : index
  tripy.plugin_sizes results(%n) grid(%n, %one, %one)
}

// -----

func.func private @C10()
// expected-error @below {{violates [tripy.plugin C10] arguments of a source for CUDA are operands, results, numbers and parameters that there are, and each result is one of them; found result 0 0 times}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<ptx "k" file = "a" block = [1, 1, 1] arguments = ["operand 0"]>] {
^bb0(%n: index):
  %one = arith.constant 1 : index
  tripy.plugin_sizes results(%n) grid(%n, %one, %one)
}

// -----

func.func private @C10()
// expected-error @below {{violates [tripy.plugin C10] arguments of a source for CUDA are operands, results, numbers and parameters that there are, and each result is one of them; found result 0 2 times}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<ptx "k" file = "a" block = [1, 1, 1] arguments = ["result 0", "result 0"]>] {
^bb0(%n: index):
  %one = arith.constant 1 : index
  tripy.plugin_sizes results(%n) grid(%n, %one, %one)
}

// -----

func.func private @C10()
// expected-error @below {{violates [tripy.plugin C10] arguments of a source for CUDA are operands, results, numbers and parameters that there are, and each result is one of them; found 'number 0'}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<ptx "k" file = "a" block = [1, 1, 1] arguments = ["result 0", "number 0"]>] {
^bb0(%n: index):
  %one = arith.constant 1 : index
  tripy.plugin_sizes results(%n) grid(%n, %one, %one)
}

// -----

func.func private @C10()
// expected-error @below {{violates [tripy.plugin C10] arguments of a source for CUDA are operands, results, numbers and parameters that there are, and each result is one of them; found 'parameter a'}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<ptx "k" file = "a" block = [1, 1, 1] arguments = ["result 0", "parameter a"]>] {
^bb0(%n: index):
  %one = arith.constant 1 : index
  tripy.plugin_sizes results(%n) grid(%n, %one, %one)
}

// -----

func.func private @C10()
// expected-error @below {{violates [tripy.plugin C10] arguments of a source for CUDA are operands, results, numbers and parameters that there are, and each result is one of them; found 'operand -1'}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<ptx "k" file = "a" block = [1, 1, 1] arguments = ["result 0", "operand -1"]>] {
^bb0(%n: index):
  %one = arith.constant 1 : index
  tripy.plugin_sizes results(%n) grid(%n, %one, %one)
}

// -----

func.func private @C10()
// expected-error @below {{violates [tripy.plugin C10] arguments of a source for CUDA are operands, results, numbers and parameters that there are, and each result is one of them; found 'size 0'}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<ptx "k" file = "a" block = [1, 1, 1] arguments = ["result 0", "size 0"]>] {
^bb0(%n: index):
  %one = arith.constant 1 : index
  tripy.plugin_sizes results(%n) grid(%n, %one, %one)
}

// -----

func.func private @C10()
// expected-error @below {{violates [tripy.plugin C10] arguments of a source for CUDA are operands, results, numbers and parameters that there are, and each result is one of them; found 'dim of operand 0 0'}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<ptx "k" file = "a" block = [1, 1, 1] arguments = ["result 0", "dim of operand 0 0"]>] {
^bb0(%n: index):
  %one = arith.constant 1 : index
  tripy.plugin_sizes results(%n) grid(%n, %one, %one)
}

// -----

func.func private @C10()
// expected-error @below {{violates [tripy.plugin C10] arguments of a source for CUDA are operands, results, numbers and parameters that there are, and each result is one of them; found ''}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<ptx "k" file = "a" block = [1, 1, 1] arguments = ["result 0", ""]>] {
^bb0(%n: index):
  %one = arith.constant 1 : index
  tripy.plugin_sizes results(%n) grid(%n, %one, %one)
}

// -----

func.func private @C10()
// expected-error @below {{violates [tripy.plugin C10] arguments of a source for CUDA are operands, results, numbers and parameters that there are, and each result is one of them; found arguments of a function for the CPU, which are fixed}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<c "k" library = "l" arguments = ["result 0"]>] {
^bb0(%n: index):
  tripy.plugin_sizes results(%n)
}

// -----

func.func private @C11()
// expected-error @below {{violates [tripy.plugin C11] a plugin with a source for CUDA has a grid of three sizes, which are not negative and at most 2^31 - 1, 65535 and 65535}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<ptx "k" file = "a" block = [1, 1, 1]>] {
^bb0(%n: index):
  tripy.plugin_sizes results(%n)
}

// -----

func.func private @C11()
// expected-error @below {{violates [tripy.plugin C11] a plugin with a source for CUDA has a grid of three sizes, which are not negative and at most 2^31 - 1, 65535 and 65535}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<ptx "k" file = "a" block = [1, 1, 1]>] {
^bb0(%n: index):
  %one = arith.constant 1 : index
  tripy.plugin_sizes results(%n) grid(%n, %one)
}

// -----

func.func private @C11()
// expected-error @below {{violates [tripy.plugin C11] a plugin with a source for CUDA has a grid of three sizes, which are not negative and at most 2^31 - 1, 65535 and 65535}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<ptx "k" file = "a" block = [1, 1, 1]>] {
^bb0(%n: index):
  %one = arith.constant 1 : index
  %c = arith.constant 65536 : index
  tripy.plugin_sizes results(%n) grid(%n, %c, %one)
}

// -----

func.func private @C11()
// expected-error @below {{violates [tripy.plugin C11] a plugin with a source for CUDA has a grid of three sizes, which are not negative and at most 2^31 - 1, 65535 and 65535}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<ptx "k" file = "a" block = [1, 1, 1]>] {
^bb0(%n: index):
  %one = arith.constant 1 : index
  %c = arith.constant 2147483648 : index
  tripy.plugin_sizes results(%n) grid(%c, %one, %one)
}

// -----

func.func private @C11()
// expected-error @below {{violates [tripy.plugin C11] a plugin with a source for CUDA has a grid of three sizes, which are not negative and at most 2^31 - 1, 65535 and 65535}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<ptx "k" file = "a" block = [1, 1, 1]>] {
^bb0(%n: index):
  %one = arith.constant 1 : index
  %c = arith.constant -1 : index
  tripy.plugin_sizes results(%n) grid(%one, %one, %c)
}

// -----

func.func private @C11()
// expected-error @below {{violates [tripy.plugin C11] a plugin with a source for CUDA has a grid of three sizes, which are not negative and at most 2^31 - 1, 65535 and 65535}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<ptx "k" file = "a" block = [1, 1, 1]>] {
^bb0(%n: index):
  %one = arith.constant 1 : index
  %c = arith.constant -1 : index
  tripy.plugin_sizes results(%n) grid(%one, %one, %one) shared(%c)
}

// -----

func.func private @C12()
// expected-error @below {{violates [tripy.plugin C12] code has the entry point of its source; found no '.entry' 'k' in the PTX}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<ptx "k" code = ".version 8.0\0A.visible .entry k2(.param .u64 x) { ret; }" block = [1, 1, 1]>] {
^bb0(%n: index):
  %one = arith.constant 1 : index
  tripy.plugin_sizes results(%n) grid(%n, %one, %one)
}

// -----

func.func private @C12()
// expected-error @below {{violates [tripy.plugin C12] code has the entry point of its source; found no '.entry' '.entry' in the PTX}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<ptx ".entry" code = ".version 8.0\0A.visible .entry k2(.param .u64 x) { ret; }" block = [1, 1, 1]>] {
^bb0(%n: index):
  %one = arith.constant 1 : index
  tripy.plugin_sizes results(%n) grid(%n, %one, %one)
}

// -----

func.func private @C12()
// expected-error @below {{violates [tripy.plugin C12] code has the entry point of its source; found a zero byte in PTX}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<ptx "k" code = ".entry k(\00)" block = [1, 1, 1]>] {
^bb0(%n: index):
  %one = arith.constant 1 : index
  tripy.plugin_sizes results(%n) grid(%n, %one, %one)
}

// -----

func.func private @C12()
// expected-error @below {{violates [tripy.plugin C12] code has the entry point of its source; a cubin is a 64-bit ELF file for NVIDIA GPUs whose parts lie inside it; found 8 bytes without such a header}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<cubin "k" code = "no cubin" block = [1, 1, 1]>] {
^bb0(%n: index):
  %one = arith.constant 1 : index
  tripy.plugin_sizes results(%n) grid(%n, %one, %one)
}

// -----

func.func private @C12()
// expected-error @below {{violates [tripy.plugin C12] code has the entry point of its source; a cubin is a 64-bit ELF file for NVIDIA GPUs whose parts lie inside it; found machine 0}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<cubin "k" code = "\7FELF\02\01\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00\00" block = [1, 1, 1]>] {
^bb0(%n: index):
  %one = arith.constant 1 : index
  tripy.plugin_sizes results(%n) grid(%n, %one, %one)
}

// -----

func.func private @C13()
// expected-error @below {{violates [tripy.plugin C13] a source of kind mlir names a gpu.module of the program, and its kernel in it}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<mlir "k" module = @m block = [1, 1, 1]>] {
^bb0(%n: index):
  %one = arith.constant 1 : index
  tripy.plugin_sizes results(%n) grid(%n, %one, %one)
}

// -----

func.func private @C13()
// expected-error @below {{violates [tripy.plugin C13] a source of kind mlir names a gpu.module of the program, and its kernel in it}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<mlir "k" module = @k block = [1, 1, 1]>] {
^bb0(%n: index):
  %one = arith.constant 1 : index
  tripy.plugin_sizes results(%n) grid(%n, %one, %one)
}

// -----

func.func private @C13()
// Not a kernel.
// expected-error @below {{violates [tripy.plugin C13] a source of kind mlir names a gpu.module of the program, and its kernel in it}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<mlir "k" module = @m block = [1, 1, 1]>] {
^bb0(%n: index):
  %one = arith.constant 1 : index
  tripy.plugin_sizes results(%n) grid(%n, %one, %one)
}
gpu.module @m {
  gpu.func @k() {
    gpu.return
  }
}

// -----

func.func private @C13()
// The name is taken.
// expected-error @below {{violates [tripy.plugin C13] a source of kind mlir names a gpu.module of the program, and its kernel in it}}
tripy.plugin @k : (tensor<?xf32>) -> tensor<?xf32> sources [#tripy.plugin_source<mlir "k" module = @device_code block = [1, 1, 1]>] {
^bb0(%n: index):
  %one = arith.constant 1 : index
  tripy.plugin_sizes results(%n) grid(%n, %one, %one)
}
gpu.module @device_code {
  gpu.func @k() kernel {
    gpu.return
  }
}
