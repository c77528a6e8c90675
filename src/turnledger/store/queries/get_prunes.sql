SELECT prunes
FROM ledger
