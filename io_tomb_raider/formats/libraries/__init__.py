"""What pieces of levels hold: equal ones of many levels are one in a library."""
