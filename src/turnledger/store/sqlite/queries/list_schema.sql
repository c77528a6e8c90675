-- only: sqlite  the schema's own table
SELECT type, name, sql
FROM sqlite_schema
WHERE name NOT LIKE 'sqlite\_%' ESCAPE '\'
