"""The store: one contract, two engines (SQLite, PostgreSQL) behind it, one append path above them."""
