"""Views of a decoded level as a whole."""
