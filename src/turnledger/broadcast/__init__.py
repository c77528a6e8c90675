"""Handing on what was recorded, after its commit, to whoever watches: one watcher for each process."""
