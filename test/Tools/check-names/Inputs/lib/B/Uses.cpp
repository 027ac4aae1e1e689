namespace tripy {
namespace {
struct Other {};
} // namespace
} // namespace tripy
