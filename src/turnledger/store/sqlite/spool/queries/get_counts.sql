SELECT (SELECT count(*) FROM queue),
       (SELECT coalesce(sum(events), 0) FROM queue),
       (SELECT coalesce(sum(events), 0) FROM refused),
       (SELECT coalesce(sum(events), 0) FROM gaps) + (SELECT not_kept FROM ledger),
       (SELECT min(queued_ms) FROM queue);
