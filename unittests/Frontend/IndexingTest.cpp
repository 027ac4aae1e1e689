//===- IndexingTest.cpp - Parts of tensors --------------------------------===//

#include "tripy/tripy.h"

#include "gtest/gtest.h"

namespace tp = tripy;
using tp::ellipsis;
using tp::end;
using tp::newaxis;
using tp::slice;
using Floats = std::vector<float>;

/// 0 to n - 1.
static tp::Tensor counts(int64_t n) { return tp::arange(n); }

TEST(Indexing, Numbers) {
  tp::Tensor t = tp::reshape(counts(24), {2, 3, 4});
  EXPECT_EQ(t[-1].shape(), tp::Shape({3, 4}));
  EXPECT_EQ(t[-1].toVector<float>().front(), 12);
  EXPECT_EQ((t[{1, 2, 3}].item<float>()), 23);
  EXPECT_EQ((t[{-2, -1, -4}].item<float>()), 8);
  EXPECT_EQ((t[{0, slice(), 1}].toVector<float>()), (Floats{1, 5, 9}));
}

TEST(Indexing, Slices) {
  tp::Tensor t = counts(8);
  EXPECT_EQ(t[slice(2)].toVector<float>(), (Floats{0, 1}));
  EXPECT_EQ(t[slice(6, end)].toVector<float>(), (Floats{6, 7}));
  EXPECT_EQ(t[slice(1, end, 3)].toVector<float>(), (Floats{1, 4, 7}));
  EXPECT_EQ(t[slice(end, end, -3)].toVector<float>(), (Floats{7, 4, 1}));
  EXPECT_EQ(t[slice(8, 2, -2)].toVector<float>(), (Floats{7, 5, 3}));
  EXPECT_EQ(t[slice(end, 2, -2)].toVector<float>(), (Floats{7, 5, 3}));
  EXPECT_EQ(t[slice(1024, 0, -1)].toVector<float>(),
            (Floats{7, 6, 5, 4, 3, 2, 1}));
  EXPECT_EQ(t[slice(-3, end)].toVector<float>(), (Floats{5, 6, 7}));
  EXPECT_EQ(t[slice(-100, 2)].toVector<float>(), (Floats{0, 1}));
  EXPECT_EQ(t[slice(1234, 5678)].shape(), tp::Shape({0}));
  EXPECT_EQ(t[slice(-5, -12)].shape(), tp::Shape({0}));
  EXPECT_EQ(t[slice(0, 0)].toVector<float>(), Floats());
  EXPECT_EQ(t[slice()].shape(), tp::Shape({8}));
}

TEST(Indexing, NewDimensionsAndEllipsis) {
  tp::Tensor t = tp::reshape(counts(24), {2, 3, 4});
  EXPECT_EQ(t[ellipsis].shape(), tp::Shape({2, 3, 4}));
  EXPECT_EQ((t[{ellipsis, 0}].shape()), tp::Shape({2, 3}));
  EXPECT_EQ((t[{1, ellipsis, 2}].toVector<float>()), (Floats{14, 18, 22}));
  EXPECT_EQ(t[newaxis].shape(), tp::Shape({1, 2, 3, 4}));
  EXPECT_EQ((t[{newaxis, slice(1, 2), slice(), newaxis}].shape()),
            tp::Shape({1, 1, 3, 1, 4}));
  EXPECT_EQ((t[{ellipsis, newaxis, 0, newaxis}].shape()),
            tp::Shape({2, 3, 1, 1}));
}

TEST(Indexing, Tensors) {
  tp::Tensor t = tp::reshape(counts(6), {3, 2});
  tp::Tensor rows({2, 0, -1});
  EXPECT_EQ(t[rows].toVector<float>(), (Floats{4, 5, 0, 1, 4, 5}));
  EXPECT_EQ((t[{slice(1, end), tp::Tensor({1})}].toVector<float>()),
            (Floats{3, 5}));
}

TEST(Indexing, Errors) {
  tp::Tensor t = tp::reshape(counts(6), {2, 3});
  EXPECT_THROW(t[2], tp::Error);
  EXPECT_THROW((t[{0, -4}]), tp::Error);
  EXPECT_THROW((t[{0, 0, 0}]), tp::Error);
  EXPECT_THROW((t[{ellipsis, ellipsis}]), tp::Error);
  EXPECT_THROW((t[slice(0, 2, 0)]), tp::Error);
}

TEST(Indexing, NewDimensionsBehindTensors) {
  tp::Tensor t = tp::reshape(counts(15), {5, 3});
  tp::Tensor table({{0, 1}, {2, 3}}), one(1);
  EXPECT_EQ((t[{table, newaxis}].shape()), tp::Shape({2, 2, 1, 3}));
  EXPECT_EQ((t[{one, newaxis}].shape()), tp::Shape({1, 3}));
  EXPECT_EQ((t[{slice(), one, newaxis}].shape()), tp::Shape({5, 1}));
  EXPECT_EQ((t[{newaxis, table}].shape()), tp::Shape({1, 2, 2, 3}));
  EXPECT_EQ((t[{table, newaxis, 0}].toVector<float>()), (Floats{0, 3, 6, 9}));
}

TEST(Indexing, ListsOfTheRun) {
  tp::Tensor t = tp::reshape(counts(15), {5, 3});
  std::vector<tp::Index> indices(2, slice());
  indices[1] = tp::Index(0);
  EXPECT_EQ(t[indices].toVector<float>(), (Floats{0, 3, 6, 9, 12}));
  indices.push_back(tp::Index(0));
  EXPECT_THROW(t[indices], tp::Error);
}
