// The rules of Go as independent choices, with KataGo's meanings.
#pragma once

#include <cstdint>

namespace honte::go {

enum class Ko : std::uint8_t { simple, positional, situational };
enum class Scoring : std::uint8_t { area, territory };
enum class Tax : std::uint8_t { none, seki, all };
enum class HandicapBonus : std::uint8_t { none, n, n_minus_one };

struct Rules {
  Ko ko = Ko::simple;
  Scoring scoring = Scoring::area;
  bool suicide = false;  // of more than one stone; a single stone never
  Tax tax = Tax::none;
  HandicapBonus handicap_bonus = HandicapBonus::none;
  bool friendly_pass = true;
  bool button = false;  // the first pass is worth half a point

  bool operator==(const Rules&) const = default;
};

}  // namespace honte::go
