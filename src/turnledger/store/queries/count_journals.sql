SELECT count(*)
FROM journals
