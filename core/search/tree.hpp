// The tree: nodes, edges and priors in flat arenas with 32-bit indices.
//
// A leaf costs its node and two bytes a legal action. Edges exist only for actions
// that were chosen at least once; the others wait in the node's order of candidates.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "games/state.hpp"
#include "search/arena.hpp"
#include "search/lanes.hpp"
#include "search/parents.hpp"
#include "search/positions.hpp"
#include "search/prior_code.hpp"

namespace honte {

inline constexpr std::uint32_t kMaximumLegalActions = 1u << 14;
inline constexpr PriorCode kDropped = 0xffff;  // in a node's codes: this action is never opened

// One action that was chosen at least once. Values are from the side to move at the parent. What
// selection compares is kept apart, in the node's merits.
struct Edge {
  double w;                // W(s,a)
  double q;                // the action value, virtual loss included
  std::uint32_t n;         // N(s,a), answers received
  std::uint32_t child;     // node index, or kNone where it was pruned
  Action action;
  float p;                 // P(s,a)
  std::uint16_t in_flight; // leaves below that wait for their answer
  bool known;              // q means something; otherwise the first-play urgency stands in
  bool exact;              // q is the child's proven value
  bool closed;             // not allowed at this root
};

// An action in the order in which actions are opened.
struct Candidate {
  Action action;
  PriorCode code;
  std::uint16_t unused = 0;
};

// Room for so many candidates, and for eight at least: they are read by eight.
inline std::uint8_t order_capacity_log2(std::size_t count) {
  return static_cast<std::uint8_t>(std::bit_width(std::max<std::size_t>(count, 8) - 1u));
}

// All moves as first: how each of eight actions did when its player chose it at any later time.
struct AmafBlock {
  Lanes w, n;  // values are from the side of the player to move at the node
};

// One position. Sums are from the side of player 0, so that no reader has to ask whose turn it is.
// The way down and the way up read its first 64 bytes alone: one line of the cache.
struct alignas(64) Node {
  double value_sum;           // of all values backed up through this node, its own evaluations included
  double value_square_sum;
  double score_sum;           // points for player 0, where the evaluator gives points
  std::uint32_t n;            // N(s): visits, own evaluations included
  std::uint32_t edge_visits;  // Σ_b N(s,b)
  std::uint32_t edges;        // block of edges, kNone before the first
  std::uint32_t order;        // block of candidates, kNone before the first
  float visited_prior;        // Σ P of the actions that have an edge
  std::uint16_t edge_count;
  std::uint16_t legal_count;  // 0 until it was asked for
  std::uint16_t width;        // how many of the legal actions may be opened
  std::uint16_t listed;       // candidates in `order`: the best `listed` of the total order
  std::uint16_t in_flight;
  std::int8_t player;         // to move, or kTerminalPlayer
  std::uint8_t edge_capacity_log2;
  std::uint8_t order_capacity_log2;
  bool terminal;
  bool proven;
  bool pending;               // its first evaluation is under way
  std::uint32_t codes;        // priors of the legal actions in ascending order, kNone if uniform
  std::uint32_t amaf;         // a table over all actions, by eight, kNone where the formula needs none
  std::uint32_t ownership;    // the evaluator's ownership of the points, kNone where it gave none
  std::uint32_t salt;         // breaks ties between equal priors
  double proven_value;        // player 0, once proven
  float raw_value;            // the evaluator's value, player 0
  float raw_score;            // the evaluator's score mean, player 0
  float raw_lead;             // the evaluator's lead, player 0
  float raw_stdev;
  float raw_no_result;        // the evaluator's probability of a game without result
  std::uint32_t foreseen_n;   // the N(s) at which the formula will take the edge `foreseen`, 0 if that is not known
  std::uint16_t foreseen;     // or open the next action, where it is `edge_count`
};
static_assert(offsetof(Node, codes) <= 64);

// What a node has besides where values are weighed or points count, side by side with the nodes.
struct alignas(64) Extension {
  double weight_sum;   // of the node's mean
  double result_sum;   // Σ (win − loss) of the visits, player 0; `value_sum` then holds utility
  double bias_delta;   // what the node adds to its bucket of subtree value bias
  double bias_weight;
  double spread;       // the node's factor on c_puct, where values are weighed
  std::uint64_t bucket_name;
  std::uint32_t bucket;  // its place in the table, which is made anew with the tree
  float own_utility;   // of the node's own evaluation, player 0
  float own_weight;
};

// What selection reads of a node's edges: its q (NaN where the first-play urgency stands in, minus
// infinity where it may not be chosen) and the part of the exploration term that only the edge
// changes; under Gumbel's formula and the user's own, which have no such part, N(s,a). Two columns side by side, so
// that the way down reads one line of the cache or two a node; beyond the last edge nothing may be
// chosen.
struct Merit {
  double q = -std::numeric_limits<double>::infinity(), bonus = 0.0;
};

struct MeritColumns {
  double *q, *bonus;

  MeritColumns(Merit* block, std::size_t capacity) : q(reinterpret_cast<double*>(block)), bonus(q + capacity) {}
  Merit get(std::uint32_t i) const { return {q[i], bonus[i]}; }
  void set(std::uint32_t i, const Merit& merit) const {
    q[i] = merit.q;
    bonus[i] = merit.bonus;
  }
};

// What is weighed, for player 0: value, value², win − loss and points.
using Means = FourLanes;

// What a child brings to the weighed mean of its parent: a copy beside the parent's edges, so that
// weighing reads one block and no child. Means are player 0's.
struct Share {
  float value, square, result, score;
  float weight;    // 0 where nothing came back from the child yet
  float firmness;  // 1 over the standard deviation of `value`, by its weight
  float prior;     // of the edge
};

// The shares of a node's children, each number in a column of its own; what is beyond the last
// child is 0.
struct ShareColumns {
  float *value, *square, *result, *score, *weight, *firmness, *prior;

  ShareColumns(Share* block, std::size_t capacity)
      : value(reinterpret_cast<float*>(block)), square(value + capacity), result(square + capacity),
        score(result + capacity), weight(score + capacity), firmness(weight + capacity),
        prior(firmness + capacity) {}

  Share get(std::uint32_t i) const { return {value[i], square[i], result[i], score[i], weight[i], firmness[i], prior[i]}; }
  void set(std::uint32_t i, const Share& share) const {
    value[i] = share.value;
    square[i] = share.square;
    result[i] = share.result;
    score[i] = share.score;
    weight[i] = share.weight;
    firmness[i] = share.firmness;
    prior[i] = share.prior;
  }
};

// AlphaGo's sums where the evaluator's values and the rollouts' results have means of their own, side
// by side with the nodes, for player 0. N_r is the node's N.
struct SeparateSums {
  double value_sum;      // W_v
  double rollout_sum;    // W_r
  std::uint32_t values;  // N_v
};

template <class Columns>
void copy_columns(const Columns& from, const Columns& to, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) to.set(i, from.get(i));
}

struct Tree {
  Arena<Node, 12> nodes;
  BlockArena<Edge, 14> edges;
  BlockArena<Merit, 14> merits;      // block by block where the edges are, in columns
  BlockArena<Candidate, 14> orders;
  Arena<PriorCode, 16> codes;
  Arena<std::int8_t, 16> ownership;  // 127ths, +127 where player 0 will own the point
  Arena<AmafBlock, 13> amaf;
  std::uint32_t actions = 0;         // that an AMAF table speaks of
  std::uint32_t points = 0;          // ownership values a node, 0 where there are none
  Arena<Extension, 12> extensions;   // as many as nodes, or none
  BlockArena<Share, 14> shares;      // block by block where the edges are, or none; in columns
  bool extended = false;
  bool weighed = false;
  Arena<SeparateSums, 12> separate_sums;  // as many as nodes, or none
  bool separates = false;
  Arena<Identity, 12> identities;    // as many as nodes, or none
  Positions positions;               // the nodes by the keys of their positions
  Parents parents;                   // of nodes that several edges lead to
  bool shares_positions = false;     // a graph: one node a position, reached by any number of edges
  std::uint32_t node_count = 0;
  bool scored = false;               // the evaluator gives points

  std::uint32_t add_node() {
    const std::uint32_t index = nodes.allocate(1);
    Node& node = nodes[index];
    clear(node);
    node.edges = node.order = node.codes = node.amaf = node.ownership = kNone;
    if (extended) clear(extensions[extensions.allocate(1)]);
    if (separates) clear(separate_sums[separate_sums.allocate(1)]);
    if (shares_positions) identities[identities.allocate(1)] = Identity{};
    ++node_count;
    return index;
  }

  // In a graph whose nodes came from elsewhere: who leads to each. All read their children anew.
  void find_parents() {
    parents = Parents{};
    for (std::uint32_t i = 0; i < node_count; ++i) {
      parents.mark(i);
      const Edge* edges = edges_of(nodes[i]);
      for (std::uint32_t e = 0; e < nodes[i].edge_count; ++e)
        if (edges[e].child != kNone) parents.connect(i, edges[e].child);
    }
  }

  // In a graph: from here on the node is found under this key.
  void identify(std::uint32_t node, const PositionKey& key) {
    identities[node].key = key;
    positions.add(identities, node);
  }

  std::uint32_t find(const PositionKey& key) const { return positions.find(identities, key); }

  std::uint32_t amaf_blocks() const { return static_cast<std::uint32_t>(whole_lanes(actions) / kLanes); }

  AmafBlock* amaf_of(Node& node) {
    if (node.amaf == kNone) {
      node.amaf = amaf.allocate(amaf_blocks());
      std::fill_n(&amaf[node.amaf], amaf_blocks(), AmafBlock{});
    }
    return &amaf[node.amaf];
  }

  Edge& add_edge(Node& node) {
    if (node.edges == kNone) {
      // Whoever has one edge mostly gets more, unless it has no more actions.
      node.edge_capacity_log2 = static_cast<std::uint8_t>(std::min<unsigned>(2, std::bit_width(node.width - 1u)));
      node.edges = allocate_edges(node.edge_capacity_log2);
    } else if (node.edge_count == 1u << node.edge_capacity_log2) {
      const std::uint32_t wider = allocate_edges(node.edge_capacity_log2 + 1u);
      std::copy_n(edges.at(node.edges), node.edge_count, edges.at(wider));
      edges.release(node.edges, node.edge_capacity_log2);
      const Node narrow = node;
      node.edges = wider;
      ++node.edge_capacity_log2;
      copy_columns(merits_of(narrow), merits_of(node), node.edge_count);
      merits.release(narrow.edges, narrow.edge_capacity_log2);
      if (weighed) {
        copy_columns(shares_of(narrow), shares_of(node), node.edge_count);
        shares.release(narrow.edges, narrow.edge_capacity_log2);
      }
    }
    Edge& edge = edges.at(node.edges)[node.edge_count++];
    clear(edge);
    edge.child = kNone;
    return edge;
  }

  // To zeros, what lies between the fields too: saved trees are compared as bytes.
  template <class T>
  static void clear(T& item) {
    std::memset(&item, 0, sizeof item);
  }

  // Merits and shares are allocated and given back in step with edges, so one index names all blocks.
  std::uint32_t allocate_edges(unsigned log2_capacity) {
    const std::size_t capacity = std::size_t{1} << log2_capacity;
    const MeritColumns columns(merits.at(merits.allocate(log2_capacity)), capacity);
    std::fill_n(columns.q, capacity, Merit{}.q);
    std::fill_n(columns.bonus, capacity, 0.0);
    if (weighed) std::fill_n(shares.at(shares.allocate(log2_capacity)), capacity, Share{});
    return edges.allocate(log2_capacity);
  }

  MeritColumns merits_of(const Node& node) { return {merits.at(node.edges), std::size_t{1} << node.edge_capacity_log2}; }
  const MeritColumns merits_of(const Node& node) const {
    return {const_cast<Merit*>(merits.at(node.edges)), std::size_t{1} << node.edge_capacity_log2};
  }
  ShareColumns shares_of(const Node& node) { return {shares.at(node.edges), std::size_t{1} << node.edge_capacity_log2}; }
  const ShareColumns shares_of(const Node& node) const {
    return {const_cast<Share*>(shares.at(node.edges)), std::size_t{1} << node.edge_capacity_log2};
  }

  Edge* edges_of(const Node& node) { return node.edge_count ? edges.at(node.edges) : nullptr; }
  const Edge* edges_of(const Node& node) const { return node.edge_count ? edges.at(node.edges) : nullptr; }

  std::uint64_t bytes() const { return nodes.bytes() + edges.bytes() + merits.bytes() + orders.bytes() + codes.bytes() + extensions.bytes() + shares.bytes() + separate_sums.bytes() + identities.bytes() + positions.bytes() + parents.bytes() + ownership.bytes() + amaf.bytes(); }
};

// What a step of the way down was: a node and the edge taken there.
struct Step {
  std::uint32_t node;
  std::uint32_t edge;
};

// A copy of what lies below `root`, closely packed; nodes with fewer than `minimum_visits` are left
// out, and so is `left_out`; the edges that led to them keep their statistics. In a graph a node that
// several edges lead to is copied once. No leaf may be in flight.
Tree compacted(const Tree& tree, std::uint32_t root, std::uint32_t minimum_visits, std::uint32_t left_out = kNone);

}  // namespace honte
