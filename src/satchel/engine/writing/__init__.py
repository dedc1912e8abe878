"""How memories are written, changed, corrected, and taken up beside those they are like. It must not know recall."""
