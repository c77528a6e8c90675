-- only: postgres  the database's clock; the first process to come makes the ledger
INSERT INTO ledger (one, id, made_ms)
VALUES (1, :id, clock_ms())
ON CONFLICT DO NOTHING
