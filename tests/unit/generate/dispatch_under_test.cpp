// A dispatch file as the generator writes it; the build sets PKC_DISPATCH_SPACE.
#define PKC_DISPATCH_SYMBOL pkc_dispatch_under_test
#include <pykokkos_cache/dispatch_impl.hpp>
