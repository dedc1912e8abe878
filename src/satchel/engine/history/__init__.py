"""Looking back: the log, moments, snapshots, differences, and the way back. It must not know how a log is kept."""
