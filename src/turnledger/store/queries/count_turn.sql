-- Leaves alone what an index is on, for the sake of every append; the rest has update_turn.
UPDATE turns
SET
    model_calls = model_calls + :model_calls,
    tool_calls = tool_calls + :tool_calls,
    open_steps = open_steps + :open_steps,
    errors = errors + :errors,
    tokens_in = COALESCE(tokens_in + :tokens_in, :tokens_in, tokens_in),
    tokens_out = COALESCE(tokens_out + :tokens_out, :tokens_out, tokens_out),
    cache_read = COALESCE(cache_read + :cache_read, :cache_read, cache_read),
    cache_write = COALESCE(cache_write + :cache_write, :cache_write, cache_write),
    reasoning = COALESCE(reasoning + :reasoning, :reasoning, reasoning)
WHERE jid = :jid
