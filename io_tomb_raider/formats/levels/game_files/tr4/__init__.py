"""The script of TR4 and TR5."""
