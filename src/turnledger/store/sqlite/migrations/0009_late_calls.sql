-- What a model call came to after its turn had ended belongs to that turn all the same: ``turn`` is its id.
-- Only what came late has one; other calls of a turn lie in its own journal.

ALTER TABLE calls ADD COLUMN turn BLOB;

UPDATE calls SET turn = (
    SELECT j.id
    FROM events AS e
    INNER JOIN journals AS j ON j.cid = calls.cid
    WHERE
        e.jid = calls.jid
        AND e.seq = calls.seq
        AND lower(hex(j.id)) = replace(substr(' ' || e.tokens, instr(' ' || e.tokens, ' turn=') + 6, 36), '-', '')
)
WHERE kind = 'late';

CREATE INDEX calls_late ON calls (turn) WHERE turn IS NOT NULL;
