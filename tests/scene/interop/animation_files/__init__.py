"""Tests of single animations as files in the scene."""
