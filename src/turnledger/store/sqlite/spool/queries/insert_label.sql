INSERT INTO ledger (id, label, not_kept) VALUES (1, :label, 0);
