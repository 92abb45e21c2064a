"""Changes of a level as a whole: what refers to what, and all that follows it."""
