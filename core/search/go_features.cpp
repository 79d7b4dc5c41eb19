#include "search/go_features.hpp"

#include <algorithm>
#include <thread>
#include <vector>

#include "search/search_of_games.hpp"

namespace honte {
namespace {

const go::GoState* go_state(const LeafRow& row) {
  const auto* search = dynamic_cast<const SearchOf<go::GoState>*>(row.search);
  return search ? &search->leaf_state(row.leaf) : nullptr;
}

}  // namespace

std::optional<BoardShape> board_shape(const LeafBatch& batch) {
  BoardShape shape;
  for (const LeafRow& row : batch.rows) {
    const go::GoState* state = go_state(row);
    if (!state) return std::nullopt;
    shape.height = std::max(shape.height, state->geometry().height);
    shape.width = std::max(shape.width, state->geometry().width);
  }
  return shape;
}

void write_katago_features(const LeafBatch& batch, BoardShape shape, float* spatial, float* global,
                           go::KataGoFeatureOptions options, int threads) {
  const std::size_t rows = batch.rows.size();
  const std::size_t spatial_size = static_cast<std::size_t>(go::kKataGoPlanes) * shape.height * shape.width;
  const auto write = [&](std::size_t first, std::size_t step) {
    for (std::size_t i = first; i < rows; i += step)
      go::write_katago_features(*go_state(batch.rows[i]), batch.rows[i].symmetry, shape.width, shape.height,
                                spatial + i * spatial_size, global + i * go::kKataGoGlobals, options);
  };
  const std::size_t helpers = std::min<std::size_t>(std::max(threads, 1), std::max<std::size_t>(rows, 1)) - 1;
  std::vector<std::jthread> pool;
  for (std::size_t helper = 0; helper < helpers; ++helper) pool.emplace_back(write, helper + 1, helpers + 1);
  write(0, helpers + 1);
}

}  // namespace honte
