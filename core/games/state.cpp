#include "games/state.hpp"
