"""Random sequences of what people do to levels, judged by a simple model of what has to come of it."""
