"""The HTTP server: one API over a ledger, the live stream, and the console that is a client of both."""
