"""AlphaGo Zero's loop: self-play, learning, and again, from nothing but the rules."""
