//===- IOTestUtil.h - Helpers of the tensor file tests ----------*- C++ -*-===//
//
// Building small files by hand, temporary folders, and exhaustive mutation.
// For the unit tests of Runtime/IO.
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_UNITTESTS_RUNTIME_IOTESTUTIL_H
#define TRIPY_UNITTESTS_RUNTIME_IOTESTUTIL_H

#include "tripy/Runtime/TensorView.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace tripy::iotest {

using Bytes = std::vector<uint8_t>;

inline Bytes bytesOf(std::string_view text) {
  return Bytes(text.begin(), text.end());
}

/// `header` with its length in front and `dataBytes` counting bytes behind.
inline Bytes safetensors(std::string_view header, size_t dataBytes) {
  Bytes out;
  for (int i = 0; i < 8; ++i)
    out.push_back(static_cast<uint8_t>(uint64_t(header.size()) >> (8 * i)));
  out.insert(out.end(), header.begin(), header.end());
  for (size_t i = 0; i < dataBytes; ++i)
    out.push_back(static_cast<uint8_t>(i));
  return out;
}

/// A .npy file of version 1 with this dictionary.
inline Bytes npy(std::string dictionary, size_t dataBytes, uint8_t major = 1) {
  dictionary += "\n";
  Bytes out = bytesOf("\x93NUMPY");
  out.push_back(major);
  out.push_back(0);
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i)
    out.push_back(static_cast<uint8_t>(dictionary.size() >> (8 * i)));
  out.insert(out.end(), dictionary.begin(), dictionary.end());
  for (size_t i = 0; i < dataBytes; ++i)
    out.push_back(static_cast<uint8_t>(i));
  return out;
}

/// A folder that is removed at the end.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "tripy-io-XXXXXX").string();
    folder = mkdtemp(name.data());
  }
  ~TemporaryFolder() { std::filesystem::remove_all(folder); }
  std::string path(std::string_view name) const {
    return (folder / name).string();
  }
  size_t files() const {
    auto begin = std::filesystem::directory_iterator(folder);
    return static_cast<size_t>(std::distance(begin, end(begin)));
  }

private:
  std::filesystem::path folder;
};

inline void writeBytes(const std::string &path, const Bytes &bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char *>(bytes.data()),
             static_cast<std::streamsize>(bytes.size()));
}

inline Bytes readBytes(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

/// Calls `read` with every truncation of `bytes`, and with every byte set to
/// 0x00, 0xff, itself + 1, and with each bit flipped. Each call gets its own
/// allocation of the exact size, so that a sanitizer sees a read past it.
template <typename Read> size_t mutate(const Bytes &bytes, Read read) {
  size_t count = 0;
  for (size_t length = 0; length < bytes.size(); ++length, ++count)
    read(Bytes(bytes.begin(), bytes.begin() + static_cast<ptrdiff_t>(length)));
  Bytes changed = bytes;
  for (size_t i = 0; i < bytes.size(); ++i) {
    std::vector<uint8_t> values = {0x00, 0xff,
                                   static_cast<uint8_t>(bytes[i] + 1)};
    for (int bit = 0; bit < 8; ++bit)
      values.push_back(static_cast<uint8_t>(bytes[i] ^ (1 << bit)));
    for (uint8_t value : values) {
      changed[i] = value;
      read(changed);
      ++count;
    }
    changed[i] = bytes[i];
  }
  return count;
}

/// A host tensor of f32 with these elements.
inline runtime::HostTensor floats(const runtime::Shape &shape,
                                  const std::vector<float> &values) {
  auto tensor = runtime::HostTensor::create(DType::F32, shape);
  EXPECT_TRUE(tensor) << tensor.status().message();
  EXPECT_EQ(tensor->bytes(), values.size() * 4);
  if (!values.empty())
    std::memcpy(tensor->data(), values.data(), values.size() * 4);
  return std::move(*tensor);
}

} // namespace tripy::iotest

#endif // TRIPY_UNITTESTS_RUNTIME_IOTESTUTIL_H
