SELECT jid, aid, cid, opened_ms, cause, parent, status, error_class, closed_ms, ms, model_calls, tool_calls, open_steps, errors, tokens_in, tokens_out, cache_read, cache_write, reasoning
FROM turns
WHERE cid = :cid
