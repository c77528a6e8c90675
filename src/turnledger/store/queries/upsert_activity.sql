INSERT INTO conversation_activity (cid, aid, last_ms, turns, open_turns, failed_turns, messages, tokens_in, tokens_out)
VALUES (:cid, :aid, :last_ms, :turns, :open_turns, :failed_turns, :messages, :tokens_in, :tokens_out)
ON CONFLICT (cid) DO UPDATE
SET
    last_ms = CASE
        WHEN excluded.last_ms > conversation_activity.last_ms THEN excluded.last_ms
        ELSE conversation_activity.last_ms
    END,
    turns = conversation_activity.turns + excluded.turns,
    open_turns = conversation_activity.open_turns + excluded.open_turns,
    failed_turns = conversation_activity.failed_turns + excluded.failed_turns,
    messages = conversation_activity.messages + excluded.messages,
    tokens_in = COALESCE(
        conversation_activity.tokens_in + excluded.tokens_in, excluded.tokens_in, conversation_activity.tokens_in
    ),
    tokens_out = COALESCE(
        conversation_activity.tokens_out + excluded.tokens_out, excluded.tokens_out, conversation_activity.tokens_out
    )
