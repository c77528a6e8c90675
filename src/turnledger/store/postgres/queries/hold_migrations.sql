-- only: postgres  one migrator of this schema at a time, for as long as its session lasts
SELECT pg_advisory_lock(1953263217, hashtext(current_schema()))
