SELECT *
FROM turn_rows
WHERE jid = (SELECT j.jid FROM journals AS j WHERE j.id = :turn)
