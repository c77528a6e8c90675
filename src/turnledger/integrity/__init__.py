"""Verification: grammar, hash chain, Merkle tree, seal leaves.  Pure: bytes and objects in, verdicts out."""
