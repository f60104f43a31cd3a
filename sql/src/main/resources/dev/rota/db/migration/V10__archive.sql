-- What holds for the history of one tenant instead of what the daemon's settings say.

alter table "${schema}".tenant
  add column archive       boolean,
  add column keep_archive  interval check (keep_archive >= interval '0'),
  add column legal_hold    boolean not null default false,
  add column segment_age   interval check (segment_age >= interval '1 second'),
  add column segment_bytes bigint check (segment_bytes >= 0);
comment on column "${schema}".tenant.archive is
  'Whether segments are archived before they are dropped; null for what the daemon''s settings say.';
comment on column "${schema}".tenant.legal_hold is
  'While true, no segment of the tenant is dropped and none of its archived files is deleted.';

-- What the archive holds. A row is written before its object is put and removed after its object is deleted, so that every
-- object that was ever put is known. It belongs to no tenant by a foreign key: objects must be deleted first.

create table "${schema}".archive (
  tenant       integer     not null,
  seq          integer     not null,
  opened_at    timestamptz not null,
  sealed_at    timestamptz not null,
  key          text        not null,
  bytes        bigint,
  rows         bigint,
  id_sum       numeric,
  state_sum    bigint,
  sha256       text,
  id_from      bigint,
  id_to        bigint,
  created_from timestamptz,
  created_to   timestamptz,
  claimed_from timestamptz,
  claimed_to   timestamptz,
  begun_at     timestamptz not null default now(),
  archived_at  timestamptz,
  expired_at   timestamptz,
  trouble      text,
  primary key (tenant, seq)
);
comment on table "${schema}".archive is
  'Manifest of archived segments: being written while archived_at is null, being deleted once expired_at is set.';
comment on column "${schema}".archive.state_sum is
  'Sum of the column state of the segment, to notice rows that changed between archive and drop.';
comment on column "${schema}".archive.trouble is
  'Why the last attempt to archive, check or delete the object failed; null if it did not.';

-- Tells the objects of this database from those of another one that uses the same place.

create table "${schema}".archive_owner (
  id uuid primary key default gen_random_uuid()
);
insert into "${schema}".archive_owner default values;
comment on table "${schema}".archive_owner is
  'One row: who this database is in the object store.';
