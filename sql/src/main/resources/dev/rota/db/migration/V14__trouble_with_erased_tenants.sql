-- Daemons go on looking for objects of erased tenants for a week, and nobody else remembers those tenants.

alter table "${schema}".erasure
  add column trouble text;
comment on column "${schema}".erasure.trouble is
  'Why objects that came to the archive after the erasure could not be looked for or deleted; null if they could.';
