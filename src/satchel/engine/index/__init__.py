"""What ranking must know of a scope, held in memory and brought up to date: columns, words, vectors. It must not know any question."""
