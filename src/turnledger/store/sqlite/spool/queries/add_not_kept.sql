UPDATE ledger SET not_kept = not_kept + :events;
