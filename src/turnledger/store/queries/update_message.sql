UPDATE messages
SET
    verdict = COALESCE(:verdict, verdict),
    turn = COALESCE(:turn, turn),
    into_seq = COALESCE(:into_seq, into_seq),
    shed = COALESCE(:shed, shed),
    delivery = COALESCE(:delivery, delivery)
WHERE cid = :cid AND seq = :seq
