SELECT id
FROM ledger
