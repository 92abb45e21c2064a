"""Words on the screen: translated, fitted, listed."""
