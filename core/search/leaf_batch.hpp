// What crosses between the core and an evaluator: rows that wait for an answer.
#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace honte {

// The columns of a batch's arrays. Boards of several sizes may share a batch; a smaller one
// then lies in the top left corner of the largest, and passing is the last column.
struct Columns {
  int num_actions = 0;
  int board_width = 0;  // of the largest board; 0 for games without
  bool operator==(const Columns&) const = default;
};

// The evaluator's arrays; a null pointer is an output it does not give.
struct Answer {
  std::size_t rows = 0;
  Columns columns;
  int num_logits = 0;                    // columns that policy_logits really has
  const float* value = nullptr;          // [rows]
  const float* rollout = nullptr;        // [rows], the result of playing on from there
  const float* policy_logits = nullptr;  // [rows, num_actions]
  const float* score_mean = nullptr;     // [rows]
  const float* score_stdev = nullptr;
  const float* score_lead = nullptr;
  const float* no_result = nullptr;      // probability that the game ends without a result
  const float* uncertainty = nullptr;    // expected absolute error of the value
  const float* ownership = nullptr;      // [rows, points]
  std::size_t points = 0;
};

// The evaluator said something that cannot be: NaN, infinity, a wrong shape.
struct EvaluationError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The state said something that cannot be; the message names the actions that led there.
struct StateError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class SearchBase;

struct LeafRow {
  SearchBase* search;
  std::uint32_t leaf;  // the search's own number of the waiting leaf
  int symmetry;
};

// Rows of one leaf under several symmetries stand next to each other.
struct LeafBatch {
  std::vector<LeafRow> rows;
  int threads = 1;  // that may encode its rows

  bool empty() const { return rows.empty(); }

  // An answer that cannot be: its leaf was taken back, the rest of the batch was received.
  struct Refusal {
    SearchBase* search;
    std::string reason;
  };

  // Gives every leaf its answer in the order of the rows, and empties the batch.
  std::vector<Refusal> receive(const Answer& answer);

  // Takes the leaves back, as if they had never been selected.
  void cancel();
};

}  // namespace honte
