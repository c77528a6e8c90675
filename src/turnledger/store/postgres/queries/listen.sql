-- only: postgres  notifications wake whoever follows the ledger
LISTEN turnledger
