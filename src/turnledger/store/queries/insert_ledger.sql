INSERT INTO ledger (one, id, made_ms)
VALUES (1, :id, :made_ms)
ON CONFLICT (one) DO NOTHING
