//===- Structure.h - Structs and containers of tensors ----------*- C++ -*-===//
//
//   template <typename T> struct Batch {
//     T ids, mask;
//     TRIPY_FIELDS(ids, mask)
//   };
//   auto fast = tripy::compile(run, Batch<tripy::InputInfo>{...});
//   auto out = fast.call<Batch<tripy::Tensor>>(batch);
//
// Arguments and results of compiled functions may be structs, vectors, arrays,
// tuples, pairs and maps of tensors, at any depth. Each tensor has a path:
// "arg0.ids", "result1.0".
//
//===----------------------------------------------------------------------===//
#ifndef TRIPY_FRONTEND_STRUCTURE_H
#define TRIPY_FRONTEND_STRUCTURE_H

#include "tripy/Frontend/Tensor.h"

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace tripy {

namespace detail {

/// Splits "a, b" and calls `visit` with each name and member.
template <typename F, typename... T>
void forEachNamed(F &&visit, std::string_view names, T &...members) {
  [[maybe_unused]] auto next = [&] {
    size_t end = names.find(',');
    std::string name(names.substr(0, end));
    names.remove_prefix(end == names.npos ? names.size() : end + 1);
    names.remove_prefix(std::min(names.find_first_not_of(' '), names.size()));
    return name;
  };
  (visit(next(), members), ...);
}

struct AnyField {
  void operator()(const std::string &, const auto &) const {}
};
template <typename T>
concept HasFields = requires(const T &value) { value.visitFields(AnyField()); };
template <typename T>
concept IsTuple = requires { std::tuple_size<T>::value; };
template <typename T>
concept IsMap = requires {
  typename T::key_type;
  typename T::mapped_type;
};
template <typename T>
concept IsList = requires(const T &list) {
  list.begin() != list.end();
  typename T::value_type;
} && !IsMap<T>;

/// "arg0" and "ids" -> "arg0.ids"; a field of the result itself has its name.
inline std::string memberPath(const std::string &outer,
                              const std::string &name) {
  return outer.empty() ? name : outer + "." + name;
}
/// A part of the result itself is "result1".
inline std::string memberPath(const std::string &outer, size_t number) {
  return memberPath(outer,
                    (outer.empty() ? "result" : "") + std::to_string(number));
}

/// Calls `visit` with the path of each leaf, from left to right: what
/// `IsLeaf<T>` is true of. Returns how many there are. Parts of lists and maps
/// without a leaf are given to `visit.emptyPart`, if it has that.
template <template <typename> typename IsLeaf, typename T, typename F>
size_t visitLeaves(const T &value, const std::string &path, F &&visit) {
  size_t leaves = 0;
  auto add = [&](const std::string &name, const auto &part) {
    size_t found = visitLeaves<IsLeaf>(part, name, visit);
    leaves += found;
    return found;
  };
  [[maybe_unused]] auto addItem = [&](const std::string &name,
                                      const auto &item) {
    if (add(name, item) > 0)
      return;
    if constexpr (requires { visit.emptyPart(name); })
      visit.emptyPart(name);
  };
  if constexpr (IsLeaf<T>::value) {
    visit(path, value);
    return 1;
  } else if constexpr (HasFields<T>) {
    value.visitFields([&](const std::string &name, const auto &field) {
      add(memberPath(path, name), field);
    });
  } else if constexpr (IsTuple<T>) {
    [&]<size_t... I>(std::index_sequence<I...>) {
      (add(memberPath(path, I), std::get<I>(value)), ...);
    }(std::make_index_sequence<std::tuple_size_v<T>>());
  } else if constexpr (IsMap<T>) {
    for (const auto &[key, item] : value)
      addItem(memberPath(path, key), item);
  } else {
    static_assert(IsList<T>, "a tensor, or a struct with TRIPY_FIELDS, a "
                             "vector, tuple, pair or map of tensors");
    size_t number = 0;
    for (const auto &item : value)
      addItem(memberPath(path, number++), item);
  }
  return leaves;
}

template <typename T> struct IsTensor : std::is_same<T, Tensor> {};
template <typename T>
struct IsArgument
    : std::bool_constant<std::is_convertible_v<const T &, TensorLike> ||
                         std::is_convertible_v<const T &, const Tensor &>> {};
template <typename T> TensorLike toArgument(const T &value, SourceLoc loc) {
  if constexpr (std::is_same_v<T, TensorLike>)
    return value;
  else if constexpr (std::is_convertible_v<const T &, TensorLike>)
    return TensorLike(value, loc);
  else
    return TensorLike(static_cast<const Tensor &>(value), loc);
}

/// Gives tensors by their paths.
class ResultReader {
public:
  ResultReader(const std::vector<std::string> &names,
               const std::vector<Tensor> &tensors, SourceLoc loc)
      : names(names), tensors(tensors), loc(loc) {}
  /// Errors: InvalidArgument where the program has no result of this path.
  const Tensor &take(const std::string &path);
  /// Whether there is a result at this path, or below it.
  bool has(const std::string &path) const;
  /// Names of what lies directly below the path.
  /// Those of tensors may have full stops.
  std::vector<std::string> keys(const std::string &path,
                                bool isOfTensors) const;
  /// Errors: InvalidArgument where results are left over.
  void finish() const;

private:
  const std::vector<std::string> &names;
  const std::vector<Tensor> &tensors;
  SourceLoc loc;
  size_t taken = 0;
  /// Of the result that is likely to be asked for: they are read in order.
  size_t next = 0;
};

/// The opposite of visitLeaves: makes a structure of type T.
template <typename T>
T readResult(ResultReader &from, const std::string &path) {
  if constexpr (std::is_same_v<T, Tensor>) {
    return from.take(path.empty() ? memberPath(path, 0) : path);
  } else if constexpr (HasFields<T>) {
    T value{};
    value.visitFields([&](const std::string &name, auto &field) {
      using Field = std::remove_reference_t<decltype(field)>;
      field = readResult<Field>(from, memberPath(path, name));
    });
    return value;
  } else if constexpr (IsTuple<T>) {
    return [&]<size_t... I>(std::index_sequence<I...>) {
      // Braces keep the order.
      return T{
          readResult<std::tuple_element_t<I, T>>(from, memberPath(path, I))...};
    }(std::make_index_sequence<std::tuple_size_v<T>>());
  } else if constexpr (IsMap<T>) {
    T map;
    for (const std::string &key :
         from.keys(path, std::is_same_v<typename T::mapped_type, Tensor>))
      map.emplace(key, readResult<typename T::mapped_type>(
                           from, memberPath(path, key)));
    return map;
  } else {
    static_assert(IsList<T>, "a tensor, or a struct with TRIPY_FIELDS, a "
                             "vector, tuple, pair or map of tensors");
    T list;
    for (size_t i = 0; from.has(memberPath(path, i)); ++i)
      list.push_back(
          readResult<typename T::value_type>(from, memberPath(path, i)));
    return list;
  }
}

} // namespace detail

/// In the body of a struct of tensors: the names of its members.
#define TRIPY_FIELDS(...)                                                      \
  template <typename F> void visitFields(F &&visit) {                          \
    ::tripy::detail::forEachNamed(visit, #__VA_ARGS__, __VA_ARGS__);           \
  }                                                                            \
  template <typename F> void visitFields(F &&visit) const {                    \
    ::tripy::detail::forEachNamed(visit, #__VA_ARGS__, __VA_ARGS__);           \
  }                                                                            \
  auto fieldReferences() { return ::std::tie(__VA_ARGS__); }                   \
  auto fieldReferences() const { return ::std::tie(__VA_ARGS__); }

/// An argument of a call: a tensor, a number, a size, or a structure of them.
/// It knows where in the user's program it stands.
class CallArgument {
public:
  template <typename T>
  CallArgument(const T &value, SourceLoc loc = SourceLoc::current())
      : place(loc) {
    // A name for the whole, which leaves() leaves out.
    detail::visitLeaves<detail::IsArgument>(
        value, "_", [&](const std::string &path, const auto &leaf) {
          list.emplace_back(path.substr(1), detail::toArgument(leaf, loc));
        });
    structure = !detail::IsArgument<T>::value;
  }
  /// With paths within the argument, as ".ids"; "" for a tensor itself.
  const std::vector<std::pair<std::string, TensorLike>> &leaves() const {
    return list;
  }
  /// Whether it is no tensor, number or size itself.
  bool isStructure() const { return structure; }
  SourceLoc loc() const { return place; }

private:
  std::vector<std::pair<std::string, TensorLike>> list;
  SourceLoc place;
  bool structure;
};

} // namespace tripy

#endif // TRIPY_FRONTEND_STRUCTURE_H
