"""The stores: where memory rests. Each implements `satchel.ports.Store`; none knows the engine, and only the registry names one."""
