"""The mutation tester: makes small slips in the code, one at a time, and sees whether the tests notice."""
