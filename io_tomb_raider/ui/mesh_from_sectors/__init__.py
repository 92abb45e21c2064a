"""Rooms drawn from their sectors: operators and panel."""
