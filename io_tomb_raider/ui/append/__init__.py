"""Appending: in File > Import > Tomb Raider."""
