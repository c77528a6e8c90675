-- only: postgres  guards and settings that this engine's promises rest on, one sentence each
SELECT
    format(
        'Trigger %s on %s is missing, switched off or empty: rows could be changed.', guard.name, guard.relation
    )
FROM (
    VALUES
    ('events', 'events_refuse_update'),
    ('events', 'events_refuse_delete'),
    ('events', 'events_refuse_truncate'),
    ('costs', 'costs_refuse_update'),
    ('costs', 'costs_refuse_delete'),
    ('costs', 'costs_refuse_truncate')
) AS guard (relation, name)
WHERE NOT EXISTS (
    SELECT FROM pg_trigger AS t
    INNER JOIN pg_proc AS p ON p.oid = t.tgfoid
    WHERE
        t.tgrelid = guard.relation::regclass
        AND t.tgname = guard.name
        AND t.tgenabled = 'A'
        AND p.prosrc LIKE format('%%RAISE EXCEPTION ''%s are append-only''%%', guard.relation)
)
UNION ALL
SELECT format('Constraint %s is missing or was never checked: malformed rows could get in.', guard.name)
FROM (
    VALUES
    ('events', 'events_seq_check'),
    ('events', 'events_position_check'),
    ('events', 'events_event_id_check'),
    ('events', 'events_payload_hash_check'),
    ('events', 'events_hash_check'),
    ('events', 'events_type_check'),
    ('events', 'events_tokens_check'),
    ('journals', 'journals_id_check'),
    ('journals', 'journals_head_check')
) AS guard (relation, name)
WHERE NOT EXISTS (
    SELECT FROM pg_constraint AS c
    WHERE c.conrelid = guard.relation::regclass AND c.conname = guard.name AND c.convalidated
)
UNION ALL
SELECT format('Unique index %s is missing or invalid: a place could be taken twice.', guard.name)
FROM (VALUES ('events_journal'), ('events_id'), ('events_position'), ('journals_id_key')) AS guard (name)
WHERE NOT EXISTS (
    SELECT FROM pg_index AS i
    WHERE i.indexrelid = to_regclass(guard.name) AND i.indisunique AND i.indisvalid
)
UNION ALL
SELECT format('The server runs with %s = off: a crash can lose or damage what was committed.', setting.name)
FROM (VALUES ('fsync'), ('full_page_writes')) AS setting (name)
WHERE current_setting(setting.name) = 'off'
