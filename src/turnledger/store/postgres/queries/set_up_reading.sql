-- only: postgres  settings of a read session: no writes, no statement without end, a plan for the values at hand
SELECT
    set_config('default_transaction_read_only', 'on', false),
    set_config('statement_timeout', '60s', false),
    set_config('plan_cache_mode', 'force_custom_plan', false),
    set_config('jit', 'off', false)
