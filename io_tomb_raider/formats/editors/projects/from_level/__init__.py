"""Levels as projects: their sectors, faces and objects in the terms of the editor."""
