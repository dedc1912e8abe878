"""The command line: one file for each noun. It must not know stores, engines or transports, only `Memory`."""
