-- only: postgres  the isolation that row locks are made for, whatever the database's default is
BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE
