"""Turnledger: a flight recorder for AI agents."""
