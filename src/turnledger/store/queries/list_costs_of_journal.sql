SELECT seq, edition, state, nano, currency, reason, provider, model, prices, priced_ms
FROM costs
WHERE jid = (SELECT j.jid FROM journals AS j WHERE j.id = :journal)
ORDER BY seq, edition
