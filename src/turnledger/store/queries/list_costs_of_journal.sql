SELECT seq, edition, state, nano, currency, reason, provider, model, prices, priced_ms
FROM costs
WHERE
    jid = (SELECT j.jid FROM journals AS j WHERE j.id = :journal)
    AND seq >= :first_seq
    AND seq <= :last_seq
ORDER BY seq, edition
