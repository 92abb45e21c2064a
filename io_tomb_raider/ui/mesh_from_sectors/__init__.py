"""Rooms drawn from their sectors, and how both follow each other: operators and panel."""
