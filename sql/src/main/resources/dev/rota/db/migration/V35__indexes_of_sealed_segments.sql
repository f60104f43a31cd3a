-- Large segments get indexes once they change no more. Those of the past stay as they are.
alter table "${schema}".segment add column indexed_at timestamptz default now();
alter table "${schema}".segment alter column indexed_at drop default;
comment on column "${schema}".segment.indexed_at is
  'When the sealed segment got its indexes, or was found too small for them; null until then.';
create index segment_to_index on "${schema}".segment (sealed_at)
  where sealed_at is not null and indexed_at is null and dropped_at is null;
