-- only: postgres  settings of the write session: durable, never waiting without end, always by index
SELECT
    set_config(
        'synchronous_commit',
        CASE current_setting('synchronous_commit') WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END,
        false
    ),
    set_config('lock_timeout', :busy_ms || 'ms', false),
    set_config('idle_in_transaction_session_timeout', '60s', false),
    set_config('plan_cache_mode', 'force_generic_plan', false),
    set_config('enable_seqscan', 'off', false),
    set_config('jit', 'off', false)
