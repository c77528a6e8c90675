-- only: postgres  a rebuild may read for long between two writes; only its own transaction may
SELECT set_config('idle_in_transaction_session_timeout', '0', true)
