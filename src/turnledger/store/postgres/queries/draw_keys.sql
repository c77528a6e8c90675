-- only: postgres  small keys come from sequences (SQLite's one writer counts for itself)
SELECT nextval(:sequence::text::regclass)
FROM generate_series(1, :count)
