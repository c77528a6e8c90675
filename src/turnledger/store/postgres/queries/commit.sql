-- only: postgres  transactions are statements of a pipeline
COMMIT
