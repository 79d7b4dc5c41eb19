#pragma once

#include <stdexcept>

namespace honte {

// Something given from outside cannot be. The message is a sentence that names it and the
// way out; in Python it is honte.errors.HonteError.
class Error : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

}  // namespace honte
