#include "search/saved_tree.hpp"

#include <cstring>
#include <stdexcept>

namespace honte {

namespace {

struct Header {
  std::uint32_t node_count, actions, points;
  std::uint32_t scored, extended, weighed, separates, shares_positions;
};

// An action's AMAF as files hold it, whatever the tree's own blocks look like.
struct SavedAmaf {
  double w;
  std::uint32_t n, unused;
};

template <class T>
void put(std::string& bytes, const T* items, std::size_t count) {
  bytes.append(reinterpret_cast<const char*>(items), count * sizeof(T));
}

class Reader {
 public:
  explicit Reader(std::span<const char> bytes) : left_(bytes) {}

  template <class T>
  void get(T* items, std::size_t count) {
    if (count > left_.size() / sizeof(T)) throw std::invalid_argument("the saved tree is cut short");
    std::memcpy(items, left_.data(), count * sizeof(T));
    left_ = left_.subspan(count * sizeof(T));
  }

  bool at_end() const { return left_.empty(); }
  std::size_t left() const { return left_.size(); }

 private:
  std::span<const char> left_;
};

void require(bool holds) {
  if (!holds) throw std::invalid_argument("the saved tree holds numbers that no tree has");
}

}  // namespace

std::string serialized(const Tree& tree) {
  std::string bytes;
  const Header header{tree.node_count, tree.actions, tree.points, tree.scored, tree.extended, tree.weighed, tree.separates, tree.shares_positions};
  put(bytes, &header, 1);
  for (std::uint32_t i = 0; i < tree.node_count; ++i) {
    Node node = tree.nodes[i];
    node.in_flight = 0;
    node.pending = false;
    node.foreseen_n = node.foreseen = 0;
    put(bytes, &node, 1);
    if (tree.extended) put(bytes, &tree.extensions[i], 1);
    if (tree.shares_positions) put(bytes, &tree.identities[i].key, 1);
    if (tree.separates) put(bytes, &tree.separate_sums[i], 1);
    for (std::uint32_t e = 0; e < node.edge_count; ++e) {
      Edge edge = tree.edges.at(node.edges)[e];
      edge.in_flight = 0;
      put(bytes, &edge, 1);
    }
    for (std::uint32_t e = 0; tree.weighed && e < node.edge_count; ++e) {
      const Share share = tree.shares_of(node).get(e);
      put(bytes, &share, 1);
    }
    if (node.codes != kNone) put(bytes, &tree.codes[node.codes], node.legal_count);
    if (node.order != kNone) put(bytes, tree.orders.at(node.order), node.listed);
    if (node.ownership != kNone) put(bytes, &tree.ownership[node.ownership], tree.points);
    for (std::uint32_t a = 0; node.amaf != kNone && a < tree.actions; ++a) {
      const AmafBlock& block = tree.amaf[node.amaf + a / kLanes];
      const SavedAmaf amaf{block.w[a % kLanes], static_cast<std::uint32_t>(block.n[a % kLanes]), 0};
      put(bytes, &amaf, 1);
    }
  }
  return bytes;
}

Tree deserialized(std::span<const char> bytes, std::uint32_t actions) {
  Reader reader(bytes);
  Header header{};
  reader.get(&header, 1);
  require(header.node_count > 0 && header.actions == actions && header.points <= 1u << 16);
  require(header.node_count <= reader.left() / sizeof(Node));
  Tree tree;
  tree.actions = header.actions;
  tree.points = header.points;
  tree.scored = header.scored != 0;
  tree.extended = header.extended != 0;
  tree.weighed = header.weighed != 0;
  tree.separates = header.separates != 0;
  tree.shares_positions = header.shares_positions != 0;
  for (std::uint32_t i = 0; i < header.node_count; ++i) {
    Node saved{};
    reader.get(&saved, 1);
    require(saved.legal_count <= kMaximumLegalActions && saved.edge_count <= saved.legal_count &&
            saved.width <= saved.legal_count && saved.listed <= saved.width &&
            (saved.player == 0 || saved.player == 1 || saved.player == kTerminalPlayer));
    Node& node = tree.nodes[tree.add_node()];
    node = saved;
    node.foreseen_n = node.foreseen = 0;
    if (tree.extended) reader.get(&tree.extensions[i], 1);
    if (tree.shares_positions) {
      PositionKey key{};
      reader.get(&key, 1);
      require(tree.find(key) == kNone);
      tree.identify(i, key);
    }
    if (tree.separates) reader.get(&tree.separate_sums[i], 1);
    node.edge_capacity_log2 = saved.edge_count ? static_cast<std::uint8_t>(std::bit_width(saved.edge_count - 1u)) : 0;
    node.edges = saved.edge_count ? tree.allocate_edges(node.edge_capacity_log2) : kNone;
    if (saved.edge_count) reader.get(tree.edges.at(node.edges), saved.edge_count);
    for (std::uint32_t e = 0; tree.weighed && e < saved.edge_count; ++e) {
      Share share{};
      reader.get(&share, 1);
      tree.shares_of(node).set(e, share);
    }
    for (std::uint32_t e = 0; e < saved.edge_count; ++e) {
      const Edge& edge = tree.edges.at(node.edges)[e];
      require(edge.action >= 0 && static_cast<std::uint32_t>(edge.action) < actions);
      require(edge.child == kNone || ((edge.child > i || tree.shares_positions) && edge.child < header.node_count));
    }
    if (saved.codes != kNone) {
      node.codes = tree.codes.allocate(saved.legal_count);
      reader.get(&tree.codes[node.codes], saved.legal_count);
    }
    if (saved.order != kNone) {
      node.order_capacity_log2 = order_capacity_log2(saved.listed);
      node.order = tree.orders.allocate(node.order_capacity_log2);
      reader.get(tree.orders.at(node.order), saved.listed);
      for (std::uint32_t c = 0; c < saved.listed; ++c) {
        const Action action = tree.orders.at(node.order)[c].action;
        require(action >= 0 && static_cast<std::uint32_t>(action) < actions);
      }
    }
    if (saved.ownership != kNone) {
      require(header.points > 0);
      node.ownership = tree.ownership.allocate(header.points);
      reader.get(&tree.ownership[node.ownership], header.points);
    }
    if (saved.amaf != kNone) {
      node.amaf = kNone;
      AmafBlock* blocks = tree.amaf_of(node);
      for (std::uint32_t a = 0; a < header.actions; ++a) {
        SavedAmaf amaf{};
        reader.get(&amaf, 1);
        blocks[a / kLanes].w[a % kLanes] = amaf.w;
        blocks[a / kLanes].n[a % kLanes] = amaf.n;
      }
    }
  }
  require(reader.at_end());
  if (tree.shares_positions) tree.find_parents();
  return tree;
}

}  // namespace honte
