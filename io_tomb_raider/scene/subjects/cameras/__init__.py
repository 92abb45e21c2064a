"""Fixed cameras, sinks and flyby cameras."""
