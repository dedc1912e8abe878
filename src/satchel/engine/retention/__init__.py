"""What memories are worth as time goes by, and what a maintenance pass does about it. It must not know any question."""
