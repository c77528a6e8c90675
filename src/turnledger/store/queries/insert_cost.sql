INSERT INTO costs (
    aid, called_ms, jid, seq, edition, cid, state, nano, currency, reason, provider, model, prices, answer, priced_ms
)
VALUES (
    :aid, :called_ms, :jid, :seq, :edition, :cid, :state, :nano, :currency, :reason, :provider, :model, :prices,
    :answer, :priced_ms
)
ON CONFLICT (aid, called_ms, jid, seq, edition) DO NOTHING
RETURNING seq
