namespace tripy {
// class Other { in a comment
const char *text = "struct Other {";
class Lowering {
  struct Input {};
};
struct Other {};
} // namespace tripy
