"""Tests of edits of levels written into projects."""
