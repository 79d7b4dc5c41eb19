#include "games/go/geometry.hpp"

#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>

namespace honte::go {
namespace {

std::unique_ptr<const Geometry> make(int width, int height) {
  auto geometry = std::make_unique<Geometry>();
  geometry->width = width;
  geometry->height = height;
  geometry->area = width * height;
  geometry->stride = width + 1;
  geometry->points = (width + 1) * (height + 2) + 1;
  geometry->words = (geometry->points + 63) / 64;
  geometry->action_of.fill(-1);
  geometry->point_of.fill(kNoPoint);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const auto point = static_cast<Point>((y + 1) * geometry->stride + x + 1);
      geometry->on_board.set(point);
      if (x == 0 || y == 0 || x == width - 1 || y == height - 1) geometry->edge.set(point);
      geometry->action_of[point] = y * width + x;
      geometry->point_of[y * width + x] = point;
    }
  }
  return geometry;
}

}  // namespace

const Geometry& Geometry::of(int width, int height) {
  if (width < 1 || width > kMaxSide || height < 1 || height > kMaxSide)
    throw std::invalid_argument("A board is 1 to 25 points wide and high, not " +
                                std::to_string(width) + "x" + std::to_string(height) + ".");
  static std::mutex mutex;
  static std::unique_ptr<const Geometry> known[kMaxSide + 1][kMaxSide + 1];
  const std::lock_guard lock(mutex);
  auto& geometry = known[width][height];
  if (!geometry) geometry = make(width, height);
  return *geometry;
}

}  // namespace honte::go
