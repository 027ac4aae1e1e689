namespace tripy {
struct Other;
class Lowering : public Base<int> {
  struct Input {};
};
namespace {
enum class Hidden { A };
} // namespace
} // namespace tripy
