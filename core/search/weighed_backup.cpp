// Backup where values are weighed: on the way up every node's means are computed anew from what its
// children brought, and what changed is handed on in registers.
#include <algorithm>
#include <cmath>

#include "search/lanes.hpp"
#include "search/search.hpp"
#include "search/selection.hpp"
#include "search/weighing.hpp"

namespace honte {

namespace {

// 1 / (√3 · σ) of a mean of so much weight, with σ² = 1 / (1.5 √weight).
double firmness(double weight) { return std::sqrt(0.5 * std::sqrt(weight)); }

Share share_of(const Tree& tree, const Edge& edge) {
  const Node& child = tree.nodes[edge.child];
  const Extension& extension = tree.extensions[edge.child];
  const double per_visit = 1.0 / child.n;
  Share share{.value = static_cast<float>(child.value_sum * per_visit),
              .square = static_cast<float>(child.value_square_sum * per_visit),
              .result = static_cast<float>(extension.result_sum * per_visit),
              .score = static_cast<float>(child.score_sum * per_visit),
              .weight = static_cast<float>(edge.n == child.n ? extension.weight_sum : extension.weight_sum * edge.n * per_visit),
              .firmness = 0.0f,
              .prior = edge.p};
  share.firmness = static_cast<float>(firmness(share.weight));
  return share;
}

}  // namespace

// A child with more weight than twice what its prior deserves, and a value below that of the
// children before it, owes the excess to noise; it loses the more of it the worse it is. Whether any
// does is asked of eight at once, with running sums; only then are they gone through one by one.
bool Weighing::prune_noise(std::uint32_t count, double mover) {
  const std::size_t blocks = whole_lanes(count) / kLanes;
  Lanes weights{}, values{}, priors{};  // of the blocks before
  unsigned any = 0;
  for (std::size_t b = 0; b < blocks && !any; ++b) {
    const Children& children = children_[b];
    const Lanes value_of = children.weight * children.value;
    const Lanes weight_sums = running_sums(children.weight), value_sums = running_sums(value_of), prior_sums = running_sums(children.prior);
    const Lanes before_weights = weights + lanes_before(weight_sums), before_values = values + lanes_before(value_sums),
                before_priors = priors + lanes_before(prior_sums);
    any = lane_mask((mover * (before_values - children.value * before_weights) > 0.0) &
                    (children.weight * before_priors > 2.0 * before_weights * children.prior));
    weights += weight_sums[7];
    values += value_sums[7];
    priors += prior_sums[7];
  }
  if (!any) return false;
  double all = 0.0, value = 0.0, prior = 0.0;
  for (std::uint32_t i = 0; i < count; ++i) {
    Children& children = children_[i / kLanes];
    const std::size_t lane = i % kLanes;
    double weight = children.weight[lane];
    if (weight == 0.0) continue;
    const double v = children.value[lane], p = children.prior[lane];
    if (mover * (value - v * all) > 0.0 && weight * prior > 2.0 * all * p) {
      const double gap = mover * (value / all - v), excess = weight - 2.0 * all * p / prior;
      weight -= excess * (1.0 - std::exp(-gap / parameters_.noise_prune_scale));
      children.weight[lane] = weight;
      children.firmness[lane] = firmness(weight);
    }
    value += weight * v;
    all += weight;
    prior += p;
  }
  return true;
}

Weighing::Sums Weighing::of_children(const Tree& tree, const Node& node, std::uint32_t place, const Share& share) {
  const std::uint32_t count = node.edge_count;
  if (count == 0) return {};
  const std::size_t blocks = whole_lanes(count) / kLanes, capacity = std::size_t{1} << node.edge_capacity_log2;
  const ShareColumns shares = tree.shares_of(node);
  const double mover = side(node.player);
  if (count == 1) {  // most nodes of a tree that digs
    const auto [value, square, result, score, weight, firmness, prior] = place == 0 ? share : shares.get(0);
    const double w = weight;
    return {w * value, w * square, w * result, w * score, w};
  }
  const auto column = [&](const float* numbers, std::size_t block, float replacement) {
    const Lanes eight = load_lanes(numbers + block * kLanes, capacity);
    return place / kLanes == block ? with_lane(eight, place % kLanes, replacement) : eight;
  };
  if (children_.size() < blocks) children_.resize(2 * blocks);
  const bool prunes = parameters_.noise_prune_scale > 0.0;
  Lanes weights{}, values{};
  for (std::size_t b = 0; b < blocks; ++b) {
    Children& children = children_[b];
    children.value = column(shares.value, b, share.value);
    children.weight = column(shares.weight, b, share.weight);
    children.firmness = column(shares.firmness, b, share.firmness);
    if (prunes) children.prior = column(shares.prior, b, share.prior);
    weights += children.weight;
    values += children.weight * children.value;
  }
  if (prunes && prune_noise(count, mover)) {
    weights = values = Lanes{};
    for (std::size_t b = 0; b < blocks; ++b) {
      weights += children_[b].weight;
      values += children_[b].weight * children_[b].value;
    }
  }
  const double weight = lane_sum(weights);
  if (weight == 0.0) return {};

  // Children that are worse than the mean by their own uncertainty count less; the sum stays.
  const Lanes mean = all_lanes(favour_ ? lane_sum(values) / weight : 0.0);
  Lanes favoured{}, value{}, square{}, result{}, score{};
  for (std::size_t b = 0; b < blocks; ++b) {
    const Children& children = children_[b];
    Lanes w = children.weight;
    if (favour_) w *= (*favour_)(mover * (children.value - mean) * children.firmness);
    favoured += w;
    value += w * children.value;
    square += w * column(shares.square, b, share.square);
    result += w * column(shares.result, b, share.result);
    score += w * column(shares.score, b, share.score);
  }
  const FourSums sums = lane_sums(value, square, result, score);
  const double ratio = favour_ ? weight / lane_sum(favoured) : 1.0;
  return {sums[0] * ratio, sums[1] * ratio, sums[2] * ratio, sums[3] * ratio, weight};
}

void Weighing::recompute(Tree& tree, std::uint32_t index, SubtreeBias& bias, std::uint32_t place, const Share& share) {
  Node& node = tree.nodes[index];
  Extension& extension = tree.extensions[index];
  Sums sums = of_children(tree, node, place, share);
  if (place != kNone) tree.shares_of(node).set(place, share);
  double own = extension.own_utility;
  if (parameters_.bias_factor > 0.0 && !node.terminal) {
    const double correction = bias.correction(extension.bucket);
    if (sums.weight > 0.0) {
      const double counted = std::pow(sums.weight, parameters_.bias_exponent);
      bias.update(extension, (sums.value / sums.weight - own) * counted, counted);
    }
    own = std::clamp(own + parameters_.bias_factor * correction, -2.0, 2.0);
  }
  const double n = node.n, own_weight = node.terminal ? n : extension.own_weight;
  sums.weight += own_weight;
  const double per_weight = n / sums.weight;
  node.value_sum = (sums.value + own_weight * own) * per_weight;
  node.value_square_sum = (sums.square + own_weight * own * own) * per_weight;
  node.score_sum = (sums.score + own_weight * node.raw_lead) * per_weight;
  extension.result_sum = (sums.result + own_weight * node.raw_value) * per_weight;
  extension.weight_sum = sums.weight;
  extension.spread = spread_factor(selection_, node);
}

void back_up_weighed(Tree& tree, const Parameters& parameters, std::span<const Step> path, std::uint32_t leaf,
                     bool was_in_flight, Weighing& weighing, SubtreeBias& bias) {
  tree.nodes[leaf].n += 1;
  weighing.recompute(tree, leaf, bias);
  bool proven = parameters.backup.solver && tree.nodes[leaf].proven;
  for (std::size_t i = path.size(); i-- > 0;) {
    Node& node = tree.nodes[path[i].node];
    Edge& edge = tree.edges.at(node.edges)[path[i].edge];
    edge.n += 1;
    node.n += 1;
    node.edge_visits += 1;
    if (was_in_flight) {
      --edge.in_flight;
      --node.in_flight;
    }
    const Node& child = tree.nodes[edge.child];
    edge.w = side(node.player) * child.value_sum * (static_cast<double>(edge.n) / child.n);
    const Share share = share_of(tree, edge);
    if (proven) {
      edge.exact = true;
      edge.q = side(node.player) * child.proven_value;
      proven = node.proven || try_to_prove(tree, node);
    }
    refresh(tree, parameters, node, path[i].edge);
    weighing.recompute(tree, path[i].node, bias, path[i].edge, share);
  }
}

void back_up_graph(Tree& tree, const Parameters& parameters, std::span<const Step> path, std::uint32_t leaf,
                   bool was_in_flight, Weighing& weighing, SubtreeBias& bias) {
  if (leaf != kNone) {
    tree.nodes[leaf].n += 1;
    weighing.recompute(tree, leaf, bias);
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
    for (std::uint32_t e = anew ? 0 : chosen; e < end; ++e) {
      Edge& edge = edges[e];
      if (edge.n == 0 || edge.child == kNone || tree.nodes[edge.child].n == 0) continue;
      const Node& child = tree.nodes[edge.child];
      edge.w = mover * child.value_sum * (static_cast<double>(edge.n) / child.n);
      shares.set(e, share_of(tree, edge));
      edge.exact = parameters.backup.solver && child.proven;
      if (edge.exact) {
        any_proven = true;
        edge.q = mover * child.proven_value;
      }
      refresh(tree, parameters, node, e);
    }
    if (any_proven && !node.proven) try_to_prove(tree, node);
    weighing.recompute(tree, index, bias);
    tree.parents.changed(index, i > 0 ? path[i - 1].node : kNone);
  }
}

}  // namespace honte
