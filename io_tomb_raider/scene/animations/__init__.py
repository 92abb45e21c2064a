"""Animations as actions."""
