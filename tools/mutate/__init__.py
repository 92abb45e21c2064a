"""The mutation tester: makes small slips in the code, one at a time, and checks that a test fails."""
