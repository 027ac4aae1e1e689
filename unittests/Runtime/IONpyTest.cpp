//===- IONpyTest.cpp - Reading and writing .npy ---------------------------===//

#include "IOTestUtil.h"

#include "tripy/Runtime/IO/Npy.h"

using namespace tripy;
using namespace tripy::io;
using namespace tripy::iotest;

namespace {

std::string dictionary(std::string descr, std::string shape,
                       std::string fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran +
         ", 'shape': " + shape + ", }";
}

struct Case {
  const char *name;
  Bytes bytes;
  Code code;
  const char *text;
};

void expectRefused(const std::vector<Case> &cases) {
  for (const Case &c : cases) {
    Result<HostTensor> tensor = parseNpy(c.bytes);
    ASSERT_FALSE(tensor) << c.name;
    EXPECT_EQ(codeName(tensor.status().code()), codeName(c.code))
        << c.name << ": " << tensor.status().message();
    EXPECT_NE(tensor.status().message().find(c.text), std::string::npos)
        << c.name << ": " << tensor.status().message();
  }
}

} // namespace

TEST(Npy, ReadsEveryType) {
  for (const DTypeInfo &info : dtypeTable) {
    if (info.npy.empty())
      continue;
    Bytes bytes = npy(dictionary(std::string(info.npy), "(2,)"), 0);
    for (int i = 0; i < 2 * info.size; ++i)
      bytes.push_back(info.dtype == DType::Bool ? 1 : uint8_t(i));
    Result<HostTensor> tensor = parseNpy(bytes);
    ASSERT_TRUE(tensor) << info.name << tensor.status().message();
    EXPECT_EQ(tensor->dtype(), info.dtype);
    EXPECT_EQ(tensor->shape(), Shape{2});
    EXPECT_EQ(std::memcmp(tensor->data(),
                          bytes.data() + bytes.size() - tensor->bytes(),
                          tensor->bytes()),
              0);
  }
}

TEST(Npy, ReadsEveryVersionAndSpelling) {
  for (uint8_t version : {1, 2, 3})
    EXPECT_TRUE(parseNpy(npy(dictionary("<f4", "(2, 3)"), 24, version)));
  EXPECT_TRUE(parseNpy(npy(dictionary("=f4", "(2, 3)"), 24)));
  EXPECT_TRUE(parseNpy(npy(dictionary("<i1", "(2,)"), 2)));
  EXPECT_EQ(parseNpy(npy(dictionary("<f4", "()"), 4))->shape().rank(), 0u);
  EXPECT_EQ(parseNpy(npy(dictionary("<f4", "(0, 5)"), 0))->elements(), 0u);
  EXPECT_EQ(parseNpy(npy(dictionary("|u1", "(10, 1)"), 10))->elements(), 10u);
  EXPECT_TRUE(parseNpy(
      npy("{\"shape\":(1,2),\"descr\":\"<f4\",\"fortran_order\":True}", 8)));
}

TEST(Npy, ReordersColumnMajor) {
  // Column-major bytes 0..5 of shape (2, 3): element (r, c) is r + 2c.
  Result<HostTensor> tensor =
      parseNpy(npy(dictionary("|u1", "(2, 3)", "True"), 6));
  ASSERT_TRUE(tensor);
  EXPECT_EQ(Bytes(tensor->span().begin(), tensor->span().end()),
            (Bytes{0, 2, 4, 1, 3, 5}));
  tensor = parseNpy(npy(dictionary("|u1", "(2, 2, 2)", "True"), 8));
  ASSERT_TRUE(tensor);
  EXPECT_EQ(Bytes(tensor->span().begin(), tensor->span().end()),
            (Bytes{0, 4, 2, 6, 1, 5, 3, 7}));
  tensor = parseNpy(npy(dictionary("<i2", "(2, 2)", "True"), 8));
  ASSERT_TRUE(tensor);
  EXPECT_EQ(Bytes(tensor->span().begin(), tensor->span().end()),
            (Bytes{0, 1, 4, 5, 2, 3, 6, 7}));
}

TEST(Npy, Int4HasAByteForEachElement) {
  NpyOptions options;
  options.rawType = DType::I4;
  auto read = [&](const char *descr, std::vector<uint8_t> elements) {
    Bytes bytes = npy(dictionary(descr, "(3,)"), 0);
    bytes.insert(bytes.end(), elements.begin(), elements.end());
    return parseNpy(bytes, options);
  };
  for (const char *descr : {"|i1", "|V1"}) {
    Result<HostTensor> tensor = read(descr, {0xf8, 7, 0xff});
    ASSERT_TRUE(tensor) << tensor.status().message();
    EXPECT_EQ(tensor->dtype(), DType::I4);
    EXPECT_EQ(tensor->elements(), 3u);
    EXPECT_EQ(Bytes(tensor->span().begin(), tensor->span().end()),
              (Bytes{0x78, 0x0f}));
  }
  Status status = read("|i1", {0, 8, 0}).status();
  EXPECT_EQ(status.code(), Code::Malformed);
  EXPECT_EQ(status.message(),
            "elements of int4 are from -8 to 7, but element 1 is 8");
  EXPECT_EQ(read("|i1", {0, 0, 0xf7}).status().code(), Code::Malformed);
  // One byte for each of three elements.
  EXPECT_EQ(read("|i1", {0, 0}).status().code(), Code::Truncated);
}

TEST(Npy, RawBytesAreSmallFloats) {
  EXPECT_EQ(parseNpy(npy(dictionary("|V2", "(1,)"), 2))->dtype(), DType::BF16);
  EXPECT_EQ(parseNpy(npy(dictionary("<V2", "(1,)"), 2))->dtype(), DType::BF16);
  EXPECT_EQ(parseNpy(npy(dictionary("|V1", "(1,)"), 1))->dtype(),
            DType::F8E4M3FN);
  NpyOptions options;
  options.rawType = DType::F8E5M2;
  EXPECT_EQ(parseNpy(npy(dictionary("|V1", "(1,)"), 1), options)->dtype(),
            DType::F8E5M2);
  EXPECT_EQ(
      parseNpy(npy(dictionary("|V2", "(1,)"), 2), options).status().code(),
      Code::DTypeMismatch);
  // It says nothing about files that know their type.
  EXPECT_EQ(parseNpy(npy(dictionary("<f4", "(1,)"), 4), options)->dtype(),
            DType::F32);
}

TEST(Npy, RefusesBadFiles) {
  Bytes good = npy(dictionary("<f4", "(2,)"), 8);
  Bytes version4 = good, minor = good, trailing = good, cut = good;
  version4[6] = 4;
  minor[7] = 1;
  trailing.push_back(0);
  cut.pop_back();
  expectRefused({
      {"empty", {}, Code::Truncated, "10 bytes"},
      {"start only", bytesOf("\x93NUM"), Code::Truncated, "10 bytes"},
      {"other file", bytesOf("PK\x03\x04zzzzzzzz"), Code::BadMagic, "NUMPY"},
      {"short other file", bytesOf("PK"), Code::BadMagic, "NUMPY"},
      {"version 4", version4, Code::UnsupportedVersion, "has 4.0"},
      {"version 1.1", minor, Code::UnsupportedVersion, "has 1.1"},
      {"trailing byte", trailing, Code::Malformed, "has 9"},
      {"cut data", cut, Code::Truncated, "has 7"},
      {"header beyond the file",
       {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 0xff, 0xff, '{', '}'},
       Code::Truncated,
       "declares 65535"},
      {"huge header",
       {0x93, 'N', 'U', 'M', 'P', 'Y', 2, 0, 0xff, 0xff, 0xff, 0xff, '{', '}'},
       Code::LimitExceeded,
       "declares 4294967295"},
      {"cut length",
       {0x93, 'N', 'U', 'M', 'P', 'Y', 2, 0, 1, 0},
       Code::Truncated,
       "cut off"},
  });
}

TEST(Npy, RefusesBadHeaders) {
  auto with = [](std::string shape) {
    return npy(dictionary("<f4", shape), 8);
  };
  std::string d = "'descr': '<f4'", f = "'fortran_order': False",
              s = "'shape': (2,)";
  auto dict = [](std::string text) { return npy("{" + text + "}", 8); };
  expectRefused({
      {"no dictionary", npy("[1]", 8), Code::Malformed, "dictionary"},
      {"text after", npy("{" + d + "," + f + "," + s + "} x", 8),
       Code::Malformed, "dictionary"},
      {"missing key", dict(d + "," + f), Code::Malformed, "dictionary"},
      {"double key", dict(d + "," + d + "," + f + "," + s), Code::Malformed,
       "appears twice"},
      {"unknown key", dict(d + "," + f + "," + s + ",'x': 1"), Code::Malformed,
       "found 'x'"},
      {"order is 0", dict(d + ",'fortran_order': 0," + s), Code::Malformed,
       "True or False"},
      {"code in the shape", with("(__import__('os').abort(),)"),
       Code::Malformed, "tuple"},
      {"negative size", with("(-2,)"), Code::Malformed, "tuple"},
      {"2^63", with("(9223372036854775808,)"), Code::Malformed, "tuple"},
      {"number for a shape", with("(2)"), Code::Malformed, "tuple"},
      {"list for a shape", with("[2]"), Code::Malformed, "tuple"},
      {"float size", with("(2.0,)"), Code::Malformed, "tuple"},
      {"leading zero", with("(02,)"), Code::Malformed, "tuple"},
      {"two zeros", with("(00,)"), Code::Malformed, "tuple"},
      {"rank 9", with("(1,1,1,1,1,1,1,1,2)"), Code::LimitExceeded,
       "8 dimensions"},
      {"overflow", with("(4294967296, 4294967296)"), Code::Malformed,
       "overflows"},
      {"byte overflow", with("(4611686018427387906,)"), Code::Malformed,
       "overflows"},
      {"more than the file", with("(1152921504606846976,)"), Code::Truncated,
       "has 8"},
      {"objects", npy(dictionary("|O", "(1,)"), 8), Code::Unsupported,
       "pickles"},
      {"big endian", npy(dictionary(">f4", "(2,)"), 8), Code::Unsupported,
       "big endian"},
      {"text", npy(dictionary("<U4", "(1,)"), 16), Code::Unsupported, "'<U4'"},
      {"complex", npy(dictionary("<c8", "(1,)"), 8), Code::Unsupported,
       "'<c8'"},
      {"unsigned", npy(dictionary("<u8", "(1,)"), 8), Code::Unsupported,
       "'<u8'"},
      {"no order", npy(dictionary("|f4", "(2,)"), 8), Code::Unsupported,
       "'|f4'"},
      {"empty type", npy(dictionary("", "(2,)"), 8), Code::Unsupported, "''"},
      {"structured",
       npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}",
           8),
       Code::Unsupported, "structured"},
      {"number for a type", dict("'descr': 4," + f + "," + s), Code::Malformed,
       "string"},
      {"bool is 2", npy(dictionary("|b1", "(3,)"), 3), Code::Malformed,
       "0 or 1"},
  });
}

TEST(Npy, EveryMutationIsSurvived) {
  for (const char *fortran : {"False", "True"}) {
    Bytes bytes = npy(dictionary("<f4", "(2, 3)", fortran), 24);
    size_t accepted = 0;
    size_t count = mutate(bytes, [&](const Bytes &changed) {
      Result<HostTensor> tensor = parseNpy(changed);
      accepted += tensor ? 1 : 0;
      if (tensor) {
        EXPECT_LE(tensor->bytes(), changed.size());
      }
    });
    EXPECT_GT(accepted, 24u * 8);
    EXPECT_LT(accepted, count / 2);
  }
}

TEST(Npy, WritesWhatItReads) {
  TemporaryFolder folder;
  std::string path = folder.path("x.npy");
  for (const DTypeInfo &info : dtypeTable)
    for (const Shape &shape : {Shape{}, Shape{3}, Shape{2, 0}, Shape{2, 3}}) {
      Result<HostTensor> tensor = HostTensor::create(info.dtype, shape);
      ASSERT_TRUE(tensor);
      for (uint64_t i = 0; i < tensor->bytes(); ++i)
        tensor->data()[i] = static_cast<uint8_t>(i & 1);
      Status status = writeNpy(path, tensor->view());
      ASSERT_TRUE(status.isOk()) << status.message();
      NpyOptions options;
      if (info.npy.empty())
        options.rawType = info.dtype;
      Result<HostTensor> read = readNpy(path, options);
      ASSERT_TRUE(read) << info.name << read.status().message();
      EXPECT_EQ(read->dtype(), info.dtype);
      EXPECT_EQ(read->shape(), shape);
      EXPECT_TRUE(std::equal(read->span().begin(), read->span().end(),
                             tensor->span().begin(), tensor->span().end()));
    }
  EXPECT_EQ(folder.files(), 1u);
}

TEST(Npy, WritesTheHeaderNumPyWrites) {
  EXPECT_EQ(npyHeader(DType::F32, Shape{2, 3}),
            std::string("\x93NUMPY\x01\x00v\x00", 10) +
                "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }" +
                std::string(58, ' ') + "\n");
  EXPECT_EQ(npyHeader(DType::I64, Shape{}).size() % 64, 0u);
  EXPECT_NE(npyHeader(DType::BF16, Shape{5}).find("'|V2'"), std::string::npos);
  EXPECT_NE(npyHeader(DType::BF16, Shape{5}).find("(5,)"), std::string::npos);
}

TEST(Npy, LargeColumnMajorArrays) {
  // More than one piece, whose bounds are inside of columns.
  const int64_t rows = 301, columns = 97;
  Bytes bytes = npy(dictionary("<i4", "(301, 97)", "True"), 0);
  for (int32_t i = 0; i < rows * columns; ++i) {
    const auto *begin = reinterpret_cast<const uint8_t *>(&i);
    bytes.insert(bytes.end(), begin, begin + 4);
  }
  Result<HostTensor> tensor = parseNpy(bytes);
  ASSERT_TRUE(tensor) << tensor.status().message();
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      ASSERT_EQ(tensor->as<int32_t>()[row * columns + column],
                column * rows + row);
}

TEST(Npy, AsksBeforeItTakesMemory) {
  TemporaryFolder folder;
  std::string path = folder.path("x.npy");
  HostTensor x = floats({2, 3}, {1, 2, 3, 4, 5, 6});
  ASSERT_TRUE(writeNpy(path, x.view()).isOk());
  NpyOptions options;
  options.check = [](DType dtype, const Shape &shape) {
    return Status(Code::ShapeOutOfRange,
                  std::string(dtypeName(dtype)) + shape.str());
  };
  Status status = readNpy(path, options).status();
  EXPECT_EQ(status.code(), Code::ShapeOutOfRange);
  EXPECT_NE(status.message().find("float32(2, 3)"), std::string::npos);
  // The question comes between header and elements: here the file shrinks.
  options.check = [&](DType, const Shape &) {
    std::filesystem::resize_file(path, 130);
    return Status::ok();
  };
  status = readNpy(path, options).status();
  EXPECT_EQ(status.code(), Code::Io);
  EXPECT_NE(status.message().find("became shorter"), std::string::npos);
}

TEST(Npy, FilesThatCannotBeReadOrWritten) {
  TemporaryFolder folder;
  HostTensor x = floats({1}, {1});
  EXPECT_EQ(readNpy(folder.path("none.npy")).status().code(), Code::NotFound);
  EXPECT_FALSE(writeNpy(folder.path("no/such/folder.npy"), x.view()).isOk());
  TensorView onGpu = x.view();
  onGpu.device = DeviceKind::CUDA;
  EXPECT_EQ(writeNpy(folder.path("x.npy"), onGpu).code(),
            Code::InvalidArgument);
  writeBytes(folder.path("bad.npy"), bytesOf("hello"));
  EXPECT_NE(readNpy(folder.path("bad.npy")).status().message().find("bad.npy"),
            std::string::npos);
  EXPECT_EQ(folder.files(), 1u);
}
