UPDATE turns
SET
    cause = COALESCE(:cause, cause),
    parent = COALESCE(:parent, parent),
    status = COALESCE(:status, status),
    error_class = COALESCE(:error_class, error_class),
    closed_ms = COALESCE(:closed_ms, closed_ms),
    ms = COALESCE(:ms, ms)
WHERE jid = :jid
