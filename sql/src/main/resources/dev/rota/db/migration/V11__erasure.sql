-- Tenants that are erased, or being erased. What is removed is noted here in the transaction that removes it, or before, so
-- that the receipt of an erasure that was interrupted is whole. Belongs to no tenant by a foreign key: it outlives it.

create table "${schema}".erasure (
  tenant      integer     primary key,
  name        text        not null,
  begun_at    timestamptz not null default now(),
  finished_at timestamptz,
  receipt     text
);
create index on "${schema}".erasure (name);
comment on table "${schema}".erasure is
  'Tenants whose erasure has begun, so that it cannot be taken back; finished when it has a receipt.';

create table "${schema}".erasure_part (
  tenant     integer not null references "${schema}".erasure (tenant) on delete cascade,
  kind       text    not null check (kind in ('table', 'registry', 'object')),
  name       text    not null,
  rows       bigint,
  bytes      bigint,
  sha256     text,
  removed_at timestamptz,
  primary key (tenant, kind, name)
);
comment on table "${schema}".erasure_part is
  'What belonged to an erased tenant: its tables, its rows in common tables, and its objects in the archive.';

-- The owner's default privileges may have given everybody rights on tables that are made after V9.
revoke all on table
  "${schema}".erasure, "${schema}".erasure_part, "${schema}".archive, "${schema}".archive_owner
  from public;
