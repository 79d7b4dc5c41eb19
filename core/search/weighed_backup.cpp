// Backup where values are weighed: on the way up every node's means are computed anew from what its
// children brought. A node cannot begin before its child has ended, so each step is one chain of
// operations in registers.
#include <algorithm>
#include <array>
#include <cmath>

#include "search/lanes.hpp"
#include "search/search.hpp"
#include "search/selection.hpp"
#include "search/weighing.hpp"

namespace honte {

namespace {

// 1 / (√3 · σ) of a mean of so much weight, with σ² = 1 / (1.5 √weight).
double firmness(double weight) { return std::sqrt(0.5 * std::sqrt(weight)); }

// What a child with these sums brings to the mean of its parent by an edge. A child that was pruned
// and grown again stands for all visits of its edge.
Share share_of(Means sums, std::uint32_t n, double weight_sum, const Edge& edge) {
  using Floats = float __attribute__((vector_size(16)));
  const double per_visit = 1.0 / n;
  const Floats means = __builtin_convertvector(sums * per_visit, Floats);
  const auto weight = static_cast<float>(edge.n == n ? weight_sum : weight_sum * edge.n * per_visit);
  return {means[0], means[1], means[2], means[3], weight, static_cast<float>(firmness(weight)), edge.p};
}

// The same as the tree keeps it.
Share share_of(const Tree& tree, const Edge& edge) {
  const Node& child = tree.nodes[edge.child];
  const Extension& extension = tree.extensions[edge.child];
  return share_of(Means{child.value_sum, child.value_square_sum, extension.result_sum, child.score_sum}, child.n, extension.weight_sum, edge);
}

}  // namespace

// A child with more weight than twice what its prior deserves, and a value below that of the
// children before it, owes the excess to noise. Whether any does is asked of eight at once, with
// running sums.
[[gnu::always_inline]] inline bool Weighing::has_noise(std::span<const Children> all, double mover) {
  Lanes weights{}, values{}, priors{};  // of the blocks before
  for (const Children& children : all) {
    const Lanes weight_sums = running_sums(children.weight), value_sums = running_sums(children.weight * children.value),
                prior_sums = running_sums(children.prior);
    const Lanes before_weights = weights + lanes_before(weight_sums), before_values = values + lanes_before(value_sums),
                before_priors = priors + lanes_before(prior_sums);
    if (lane_mask((mover * (before_values - children.value * before_weights) > 0.0) &
                  (children.weight * before_priors > 2.0 * before_weights * children.prior)))
      return true;
    weights += weight_sums[7];
    values += value_sums[7];
    priors += prior_sums[7];
  }
  return false;
}

// Such a child loses the more of its excess the worse it is.
void Weighing::prune_noise(std::span<Children> all, std::uint32_t count, double mover) const {
  double weights = 0.0, values = 0.0, priors = 0.0;
  for (std::uint32_t i = 0; i < count; ++i) {
    Children& children = all[i / kLanes];
    const std::size_t lane = i % kLanes;
    double weight = children.weight[lane];
    if (weight == 0.0) continue;
    const double value = children.value[lane], prior = children.prior[lane];
    if (mover * (values - value * weights) > 0.0 && weight * priors > 2.0 * weights * prior) {
      const double gap = mover * (values / weights - value), excess = weight - 2.0 * weights * prior / priors;
      weight -= excess * (1.0 - std::exp(-gap / parameters_.noise_prune_scale));
      children.weight[lane] = weight;
      children.firmness[lane] = firmness(weight);
    }
    values += weight * value;
    weights += weight;
    priors += prior;
  }
}

template <bool kFew>
[[gnu::always_inline]] inline Weighing::Weighed Weighing::of_children(const ShareColumns& shares, std::uint32_t count, std::size_t capacity,
                                                                   double mover, std::uint32_t place, const Share& share) {
  const std::size_t blocks = kFew ? 1 : whole_lanes(count) / kLanes;
  const auto read = [&](const float* column, std::size_t block) { return load_lanes(column + block * kLanes, kFew ? capacity : kLanes); };
  const auto with = [&](Lanes eight, std::size_t block, double number) {
    return place / kLanes == block ? with_lane(eight, place % kLanes, number) : eight;
  };
  const auto without = [&](Lanes eight, std::size_t block) { return with(eight, block, 0.0); };
  std::array<Children, 1> few;
  if (!kFew && children_.size() < blocks) children_.resize(2 * blocks);
  const std::span<Children> all = kFew ? std::span<Children>(few) : std::span<Children>(children_).first(blocks);
  const bool prunes = parameters_.noise_prune_scale > 0.0;
  // What is given comes last of all, so that the rest can be added before it is known.
  Lanes weights{}, values{};
  for (std::size_t b = 0; b < blocks; ++b) {
    Children& children = all[b];
    const Lanes value = read(shares.value, b), weight = without(read(shares.weight, b), b);
    weights += weight;
    values += weight * value;
    children.value = with(value, b, share.value);
    children.weight = with(weight, b, share.weight);
    children.firmness = with(read(shares.firmness, b), b, share.firmness);
    if (prunes) children.prior = with(read(shares.prior, b), b, share.prior);
  }
  double weight = lane_sum(weights) + share.weight, value = lane_sum(values) + static_cast<double>(share.weight) * share.value;
  if (prunes && has_noise(all, mover)) {
    prune_noise(all, count, mover);
    weights = values = Lanes{};
    for (const Children& children : all) {
      weights += children.weight;
      values += children.weight * children.value;
    }
    weight = lane_sum(weights);
    value = lane_sum(values);
  }
  if (weight == 0.0) return {};

  // Children that are worse than the mean by their own uncertainty count less; the sum stays.
  const Lanes mean = all_lanes(value * (1.0 / weight));
  Lanes favoured{}, values_of{}, squares{}, results{}, scores{};
  for (std::size_t b = 0; b < blocks; ++b) {
    Lanes w = all[b].weight;
    if (favour_) w *= (*favour_)(mover * (all[b].value - mean) * all[b].firmness);
    favoured += w;
    values_of += w * all[b].value;
    squares += w * with(read(shares.square, b), b, share.square);
    results += w * with(read(shares.result, b), b, share.result);
    scores += w * with(read(shares.score, b), b, share.score);
  }
  const Means sums = lane_sums(values_of, squares, results, scores);
  return {favour_ ? sums / lane_sum(favoured) : sums * (1.0 / weight), weight};
}

[[gnu::always_inline]] inline Means Weighing::recompute(Tree& tree, std::uint32_t index, SubtreeBias& bias, std::uint32_t place,
                                                        const Share& share) {
  Node& node = tree.nodes[index];
  Extension& extension = tree.extensions[index];
  const std::uint32_t count = node.edge_count;
  Weighed children;
  if (count == 1) {  // most nodes of a tree that digs
    const Share only = place == 0 ? share : tree.shares_of(node).get(0);
    children = Weighed{Means{only.value, only.square, only.result, only.score}, only.weight};
  } else if (count > 0) {
    const std::size_t capacity = std::size_t{1} << node.edge_capacity_log2;
    const ShareColumns shares = tree.shares_of(node);
    children = count <= kLanes ? of_children<true>(shares, count, capacity, side(node.player), place, share)
                               : of_children<false>(shares, count, capacity, side(node.player), place, share);
  }
  if (place != kNone) tree.shares_of(node).set(place, share);
  double own = extension.own_utility;
  if (parameters_.bias_factor > 0.0 && !node.terminal) {
    const double correction = bias.correction(extension.bucket);
    if (children.weight > 0.0) {
      const double counted = std::pow(children.weight, parameters_.bias_exponent);
      bias.update(extension, (children.means[0] - own) * counted, counted);
    }
    own = std::clamp(own + parameters_.bias_factor * correction, -2.0, 2.0);
  }
  const double n = node.n, own_weight = node.terminal ? n : extension.own_weight;
  const double weight = children.weight + own_weight, per_weight = n / weight;
  const Means owns{own, own * own, node.raw_value, node.raw_lead};
  const Means all = children.means * (children.weight * per_weight) + owns * (own_weight * per_weight);
  node.value_sum = all[0];
  node.value_square_sum = all[1];
  extension.result_sum = all[2];
  node.score_sum = all[3];
  extension.weight_sum = weight;
  extension.spread = spread_factor(selection_, node);
  return all;
}

void Weighing::back_up(Tree& tree, const Parameters& parameters, std::span<const Step> path, std::uint32_t leaf, bool was_in_flight, SubtreeBias& bias) {
  tree.nodes[leaf].n += 1;
  bool proven = parameters.backup.solver && tree.nodes[leaf].proven;
  std::uint32_t index = leaf, place = kNone;
  Share share{};
  for (std::size_t i = path.size();; place = path[i].edge, index = path[i].node) {
    const Means sums = recompute(tree, index, bias, place, share);
    if (i-- == 0) return;
    const Node& child = tree.nodes[index];
    Node& node = tree.nodes[path[i].node];
    Edge& edge = tree.edges.at(node.edges)[path[i].edge];
    edge.n += 1;
    node.n += 1;
    node.edge_visits += 1;
    if (was_in_flight) {
      --edge.in_flight;
      --node.in_flight;
    }
    edge.w = side(node.player) * sums[0] * (static_cast<double>(edge.n) / child.n);
    share = share_of(sums, child.n, tree.extensions[index].weight_sum, edge);
    if (proven) {
      edge.exact = true;
      edge.q = side(node.player) * child.proven_value;
      proven = node.proven || try_to_prove(tree, node);
    }
    refresh(tree, parameters, node, path[i].edge);
  }
}

void Weighing::back_up_graph(Tree& tree, const Parameters& parameters, std::span<const Step> path, std::uint32_t leaf, bool was_in_flight, SubtreeBias& bias) {
  if (leaf != kNone) {
    tree.nodes[leaf].n += 1;
    recompute(tree, leaf, bias, kNone, {});
    tree.parents.changed(leaf, path.empty() ? kNone : path.back().node);
  }
  for (std::size_t i = path.size(); i-- > 0;) {
    const auto [index, chosen] = path[i];
    Node& node = tree.nodes[index];
    Edge* edges = tree.edges.at(node.edges);
    const ShareColumns shares = tree.shares_of(node);
    edges[chosen].n += 1;
    node.n += 1;
    node.edge_visits += 1;
    if (was_in_flight) {
      --edges[chosen].in_flight;
      --node.in_flight;
    }
    const double mover = side(node.player);
    bool any_proven = false;
    // Unless another way changed a child, only this one differs from what was read before.
    const bool anew = tree.parents.take_mark(index);
    const std::uint32_t end = anew ? node.edge_count : chosen + 1;
    Share share{};
    for (std::uint32_t e = anew ? 0 : chosen; e < end; ++e) {
      Edge& edge = edges[e];
      if (e != chosen && (edge.n == 0 || edge.child == kNone || tree.nodes[edge.child].n == 0)) continue;
      const Node& child = tree.nodes[edge.child];
      edge.w = mover * child.value_sum * (static_cast<double>(edge.n) / child.n);
      if (e == chosen) share = share_of(tree, edge);
      else shares.set(e, share_of(tree, edge));
      edge.exact = parameters.backup.solver && child.proven;
      if (edge.exact) {
        any_proven = true;
        edge.q = mover * child.proven_value;
      }
      refresh(tree, parameters, node, e);
    }
    if (any_proven && !node.proven) try_to_prove(tree, node);
    recompute(tree, index, bias, chosen, share);
    tree.parents.changed(index, i > 0 ? path[i - 1].node : kNone);
  }
}

}  // namespace honte
