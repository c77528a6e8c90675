-- only: postgres  one state of the database for many statements
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY
