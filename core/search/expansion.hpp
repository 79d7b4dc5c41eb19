// Expansion: from an evaluator's logits to priors over legal actions, and from priors to
// the order in which actions are opened.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "random.hpp"
#include "search/parameters.hpp"
#include "search/tree.hpp"

namespace honte {

// Softmax with a temperature over the legal actions, in place; logits that are all equal,
// or all minus infinity, give a uniform distribution.
void softmax(std::span<double> logits, double temperature);

// Codes of priors that sum to 1, with actions below the filter dropped (the best never) and
// the rest made to sum to 1 again.
void encode_priors(std::span<double> priors, double filter, std::span<PriorCode> codes);

// P' = (1 − ε) P + ε η with η ~ Dirichlet over the legal actions, in place. `kNone` does nothing.
//   plain:  every concentration is α                              [Silver 2017]
//   scaled: α = concentration / number of legal actions, so that their sum is constant
//   shaped: half the total concentration is spread evenly, half goes to actions by how far
//           their log prior stands above the mean, cut off from above [KataGo]
void add_noise(std::span<double> priors, const ExpansionParameters& parameters, Random& random);

// How many actions may have an edge at N(s) visits: ⌈C·N^β⌉, at least 1; progressive widening.
inline std::uint32_t open_limit(const ExpansionParameters& parameters, double visits, std::uint32_t width) {
  if (parameters.widening_factor <= 0.0) return width;
  const double limit = std::ceil(parameters.widening_factor * std::pow(std::max(1.0, visits), parameters.widening_exponent));
  return limit >= width ? width : std::max(1u, static_cast<std::uint32_t>(limit));
}

// Makes sure that the node's order holds at least `needed` candidates, at most its width.
// The order is total: higher prior first, equal priors in an order drawn from the node's salt.
// `legal` are the node's legal actions, ascending.
void list_candidates(Tree& tree, Node& node, std::uint32_t needed, std::span<const Action> legal,
                     std::vector<std::uint64_t>& scratch);

inline PriorCode uniform_code(std::uint32_t legal_count) { return encode_prior(1.0 / legal_count); }

// The prior of the legal action at a place in the ascending list; 0 if it was dropped.
inline double prior_at(const Tree& tree, const Node& node, std::uint32_t index) {
  const PriorCode code = node.codes == kNone ? uniform_code(node.legal_count) : tree.codes[node.codes + index];
  return code == kDropped ? 0.0 : decode_prior(code);
}

}  // namespace honte
