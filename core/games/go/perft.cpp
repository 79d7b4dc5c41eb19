#include "games/go/perft.hpp"

#include <vector>

namespace honte::go {

std::uint64_t perft(const GoState& state, int depth) {
  if (depth == 0 || state.is_terminal()) return 1;
  std::vector<Action> actions;
  state.legal_actions(actions);
  std::uint64_t total = 0;
  for (const Action action : actions) {
    GoState next = state;
    next.apply_action(action);
    total += perft(next, depth - 1);
  }
  return total;
}

}  // namespace honte::go
