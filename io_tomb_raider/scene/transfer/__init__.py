"""The transfer engine: objects of one level or game become objects of another."""
