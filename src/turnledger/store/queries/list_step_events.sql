-- What steps are made of and what is summed over a turn, without what makes a row of an event long.
SELECT
    seq,
    type,
    tokens,
    CASE WHEN type = 'MODEL_RESULT' THEN detail END AS detail
FROM events
WHERE
    jid = (SELECT j.jid FROM journals AS j WHERE j.id = :journal)
    AND seq >= :start_seq
    AND (
        type IN ('MODEL_CALL', 'MODEL_RESULT', 'TOOL_CALL', 'TOOL_RESULT', 'APPROVAL')
        OR tokens LIKE '%costMinor=%'
    )
ORDER BY seq
LIMIT :limit
