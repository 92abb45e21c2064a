"""Random sequences of user actions on levels, judged by a simple model of their results."""
