// The inputs of KataGo's networks for a batch of waiting leaves of Go.
#pragma once

#include <optional>

#include "games/go/features.hpp"
#include "search/leaf_batch.hpp"

namespace honte {

struct BoardShape {
  int height = 0, width = 0;
};

// The smallest shape into which every board of the batch fits; none if a row is not Go.
std::optional<BoardShape> board_shape(const LeafBatch& batch);

// Fills a row of spatial [B, 22, height, width] and global [B, 19] for each leaf, under its
// symmetry. Every row must be Go and fit. `threads` share the rows.
void write_katago_features(const LeafBatch& batch, BoardShape shape, float* spatial, float* global,
                           go::KataGoFeatureOptions options, int threads);

}  // namespace honte
