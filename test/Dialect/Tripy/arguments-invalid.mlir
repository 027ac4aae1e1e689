// RUN: tripy-opt %s --split-input-file --verify-diagnostics

// An unknown attribute.
// expected-error @below {{argument 0: attributes of an argument are tripy.name, tripy.path, tripy.profile, tripy.dims and tripy.parameter; found tripy.profle}}
func.func private @f(tensor<2xf32> {tripy.profle})

// -----

// A name of another type.
// expected-error @below {{argument 0: "tripy.name" is a string of 1 to 1024 bytes of UTF-8 without spaces, quotes, '=', '@' and ','; found 1 : i64}}
func.func private @f(tensor<2xf32> {tripy.name = 1})

// -----

// A path of another type, an empty one, one with a control character.
// expected-error @below {{argument 0: "tripy.path" is a string of 1 to 1024 bytes of UTF-8 without control characters; found 1 : i64}}
func.func private @f(tensor<2xf32> {tripy.path = 1})

// -----

// expected-error @below {{argument 0: "tripy.path" is a string of 1 to 1024 bytes of UTF-8 without control characters; found ""}}
func.func private @f(tensor<2xf32> {tripy.path = ""})

// -----

// expected-error @below {{argument 0: "tripy.path" is a string of 1 to 1024 bytes of UTF-8 without control characters}}
func.func private @f(tensor<2xf32> {tripy.path = "arg0.a\0Ab"})

// -----

// An empty name.
// expected-error @below {{argument 0: "tripy.name" is a string of 1 to 1024 bytes}}
func.func private @f(tensor<2xf32> {tripy.name = ""})

// -----

// A name with a space.
// expected-error @below {{argument 0: "tripy.name" is a string of 1 to 1024 bytes}}
func.func private @f(tensor<2xf32> {tripy.name = "a b"})

// -----

// A name that a command line would misread.
// expected-error @below {{argument 0: "tripy.name" is a string of 1 to 1024 bytes}}
func.func private @f(tensor<2xf32> {tripy.name = "a=b"})

// -----

// A name that is no UTF-8.
// expected-error @below {{argument 0: "tripy.name" is a string of 1 to 1024 bytes}}
func.func private @f(tensor<2xf32> {tripy.name = "a\FF"})

// -----

// A name with a mark that turns the direction of text.
// expected-error @below {{argument 0: "tripy.name" is a string of 1 to 1024 bytes}}
func.func private @f(tensor<2xf32> {tripy.name = "a\E2\80\AE"})

// -----

// A name of 1025 bytes.
// expected-error @below {{argument 0: "tripy.name" is a string of 1 to 1024 bytes}}
func.func private @f(tensor<2xf32> {tripy.name = "nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn"})

// -----

// Equal names.
// expected-error @below {{argument 1: names are unique; 'x' is used before}}
func.func private @f(tensor<2xf32> {tripy.name = "x"}, tensor<2xf32> {tripy.name = "x"})

// -----

// A name that is another argument's default.
// expected-error @below {{argument 1: names are unique; 'arg1' is used before}}
func.func private @f(tensor<2xf32> {tripy.name = "arg1"}, tensor<2xf32>)

// -----

// Equal names of results.
// expected-error @below {{result 1: names are unique; 'y' is used before}}
func.func private @f() -> (tensor<2xf32> {tripy.name = "y"}, tensor<2xf32> {tripy.name = "y"})

// -----

// An attribute of arguments on a result.
// expected-error @below {{result 0: the attribute of a result is tripy.name; found "tripy.parameter"}}
func.func private @f() -> (tensor<2xf32> {tripy.parameter})

// -----

// A profile of another type.
// expected-error @below {{argument 0: "tripy.profile" is a #tripy.profile; found 1 : i64}}
func.func private @f(tensor<2xf32> {tripy.profile = 1})

// -----

// A profile of no tensor.
// expected-error @below {{argument 0: "tripy.profile" is for ranked tensors and sizes; found 'i1'}}
func.func private @f(i1 {tripy.profile = #tripy.profile<min = [], opt = [], max = []>})

// -----

// A profile of another rank.
// expected-error @below {{argument 0: "tripy.profile" has one size for each dimension; found 1 sizes for 'tensor<?x2xf32>'}}
func.func private @f(tensor<?x2xf32> {tripy.profile = #tripy.profile<min = [1], opt = [1], max = [1]>})

// -----

// A profile that changes a static size.
// expected-error @below {{argument 0: "tripy.profile" repeats static sizes; dimension 1 of 'tensor<?x2xf32>' has 2, 2, 3}}
func.func private @f(tensor<?x2xf32> {tripy.profile = #tripy.profile<min = [1, 2], opt = [2, 2], max = [4, 3]>})

// -----

// Lengths that differ.
// expected-error @below {{min, opt and max of a profile have one length; found 1, 2 and 1}}
func.func private @f(tensor<?xf32> {tripy.profile = #tripy.profile<min = [1], opt = [1, 2], max = [1]>})

// -----

// A negative size.
// expected-error @below {{sizes of a profile satisfy 0 <= min <= opt <= max <= 2^40; dimension 0 has -1, 1, 1}}
func.func private @f(tensor<?xf32> {tripy.profile = #tripy.profile<min = [-1], opt = [1], max = [1]>})

// -----

// Sizes out of order.
// expected-error @below {{sizes of a profile satisfy 0 <= min <= opt <= max <= 2^40; dimension 1 has 1, 3, 2}}
func.func private @f(tensor<?x?xf32> {tripy.profile = #tripy.profile<min = [1, 1], opt = [1, 3], max = [1, 2]>})

// -----

// A size over 2^40.
// expected-error @below {{sizes of a profile satisfy 0 <= min <= opt <= max <= 2^40; dimension 0 has 1, 1, 1099511627777}}
func.func private @f(tensor<?xf32> {tripy.profile = #tripy.profile<min = [1], opt = [1], max = [1099511627777]>})

// -----

// Too many elements.
// expected-error @below {{the largest sizes of a profile have rank at most 8 and at most 2^40 elements; found [1048577, 1048577]}}
func.func private @f(tensor<?x?xf32> {tripy.profile = #tripy.profile<min = [1, 1], opt = [1, 1], max = [1048577, 1048577]>})

// -----

// Dims of another type.
// expected-error @below {{argument 0: "tripy.dims" is an array of strings; found [1]}}
func.func private @f(tensor<?xf32> {tripy.dims = [1]})

// -----

// Dims of another length.
// expected-error @below {{argument 0: "tripy.dims" has one name for each dimension; found 2 names for 'tensor<?xf32>'}}
func.func private @f(tensor<?xf32> {tripy.dims = ["a", "b"]})

// -----

// A name of a dimension with a comma.
// expected-error @below {{argument 0: a dimension's name is empty, or of at most 1024 bytes of UTF-8 without spaces, quotes, '=', '@' and ','; found "a,b"}}
func.func private @f(tensor<?xf32> {tripy.dims = ["a,b"]})

// -----

// A parameter with a value.
// expected-error @below {{argument 0: "tripy.parameter" has no value; found 1 : i64}}
func.func private @f(tensor<2xf32> {tripy.parameter = 1})

// -----

// A parameter of dynamic shape.
// expected-error @below {{argument 0: "tripy.parameter" has a static shape; found 'tensor<?xf32>'}}
func.func private @f(tensor<?xf32> {tripy.parameter})

// -----

// A parameter that is no tensor.
// expected-error @below {{argument 0: "tripy.parameter" is for ranked tensors; found 'index'}}
func.func private @f(index {tripy.parameter})

// -----

// A profile of a number that is no size.
// expected-error @below {{argument 0: "tripy.profile" is for ranked tensors and sizes; found 'i64'}}
func.func private @f(i64 {tripy.profile = #tripy.profile<min = [0], opt = [4], max = [8]>})

// -----

// A profile of two sizes for one.
// expected-error @below {{argument 0: "tripy.profile" has one size for each dimension, and one for a size; found 2 sizes for 'index'}}
func.func private @f(index {tripy.profile = #tripy.profile<min = [0, 1], opt = [4, 1], max = [8, 1]>})

// -----

// A profile of no size for one.
// expected-error @below {{argument 0: "tripy.profile" has one size for each dimension, and one for a size; found 0 sizes for 'index'}}
func.func private @f(index {tripy.profile = #tripy.profile<min = [], opt = [], max = []>})

// -----

// Two names of a size.
// expected-error @below {{argument 0: "tripy.dims" has one name for each dimension, and one for a size; found 2 names for 'index'}}
func.func private @f(index {tripy.dims = ["a", "b"]})
