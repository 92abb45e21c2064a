"""Files of the engine TRX."""
