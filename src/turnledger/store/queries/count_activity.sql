-- Steps of a turn: leaves alone what an index is on, for the sake of every append; the rest has upsert_activity.
UPDATE conversation_activity
SET
    tokens_in = COALESCE(tokens_in + :tokens_in, :tokens_in, tokens_in),
    tokens_out = COALESCE(tokens_out + :tokens_out, :tokens_out, tokens_out)
WHERE cid = :cid
