-- Counts of pending tasks are renewed as long as they are needed, and cover tables that were made after them.

-- As in V24, but that a count goes on when the table was truncated or rewritten. A truncated slot was empty, and so its
-- difference is right too. Live tuples do not count older tasks of a rewritten table whose counters were lost.
create or replace function "${schema}".room(tenant integer, out allowed bigint, out pending bigint)
  language plpgsql volatile parallel unsafe security definer
  set search_path = pg_catalog, pg_temp
  set stats_fetch_consistency = none
as $body$
declare
  present text;
begin
  select coalesce(max(r.max_pending) filter (where r.tenant is not null), max(r.max_pending)) into allowed
    from "${schema}".tenant t
    join "${schema}".rule r on r.max_pending is not null and (r.tenant = t.number or r.plan = t.plan)
   where t.number = room.tenant;
  if allowed is null then
    return;
  end if;
  present := "${schema}".counters_witness();
  select coalesce(sum(greatest(0,
           case when b.relation is null or b.exact and coalesce(s.estimated_at <= b.counted_at, true) then s.live
                else b.tasks + s.inserted - b.inserted - s.deleted + b.deleted
           end
           + pg_stat_get_xact_tuples_inserted(s.relation) - pg_stat_get_xact_tuples_deleted(s.relation))), 0)
    into pending
    from (select p.relation,
                 pg_stat_get_live_tuples(p.relation) as live,
                 pg_stat_get_tuples_inserted(p.relation) as inserted,
                 pg_stat_get_tuples_deleted(p.relation) as deleted,
                 greatest(pg_stat_get_last_vacuum_time(p.relation), pg_stat_get_last_autovacuum_time(p.relation),
                          pg_stat_get_last_analyze_time(p.relation), pg_stat_get_last_autoanalyze_time(p.relation))
                   as estimated_at
            from "${schema}".pending_tables(room.tenant) p
          offset 0) s
    left join "${schema}".pending_count b
      on b.tenant = room.tenant and b.relation = s.relation and b.witness = present
     and b.inserted <= s.inserted;
end
$body$;

-- As in V30, but that a thorough call counts more tenants anew. One is a tenant whose tables were made or dropped since.
-- Another is one that goes by the difference, which takes what was rolled back for inserted or deleted: as soon as it may
-- refuse tasks wrongly, and else after ten minutes, but not while nothing changes. A count reads whole tables. So a busy
-- tenant, whose counters are never exact in that moment, is not counted by each call while it has room.
create or replace function "${schema}".count_pending(thorough boolean) returns integer
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
  set stats_fetch_consistency = none
as $body$
declare
  present text := "${schema}".counters_witness();
  tenants integer := 0;
  owner   integer;
  part    record;
  begun   timestamptz;
  earlier bigint;
  counted bigint;
begin
  if thorough then
    update "${schema}".tenant t set payload_quota = true
     where not t.payload_quota
       and (t.number in (select r.tenant from "${schema}".rule r
                          where r.max_payload is not null and r.tenant is not null)
            or t.plan in (select r.plan from "${schema}".rule r
                           where r.max_payload is not null and r.plan is not null));
    delete from "${schema}".pending_count m
     where m.relation = 0
       and (m.tenant in (
            select b.tenant from "${schema}".pending_count b
             where b.relation <> 0
               and (b.counted_at < greatest(
                    pg_stat_get_last_vacuum_time(b.relation), pg_stat_get_last_autovacuum_time(b.relation),
                    pg_stat_get_last_analyze_time(b.relation), pg_stat_get_last_autoanalyze_time(b.relation))
                    or pg_relation_filenode(b.relation) is null
                    or not b.exact
                       and (b.inserted <> pg_stat_get_tuples_inserted(b.relation)
                            or b.deleted <> pg_stat_get_tuples_deleted(b.relation)
                            or b.filenode <> pg_relation_filenode(b.relation))
                       and (b.counted_at < now() - interval '10 minutes'
                            or (select r.pending > r.allowed / 2 from "${schema}".room(b.tenant) r))))
            or exists (
               select from "${schema}".tenant t
                where t.number = m.tenant and t.parked_at is null
                  and 1 + 3 * cardinality(t.priorities) > (
                      select count(*) from "${schema}".pending_count b
                       where b.tenant = t.number and b.relation <> 0)
                  and exists (
                      select from "${schema}".pending_tables(t.number) p
                       where not exists (select from "${schema}".pending_count b
                                          where b.tenant = t.number and b.relation = p.relation))));
  end if;
  for owner in
    select t.number
      from "${schema}".tenant t
     where (t.number in (select r.tenant from "${schema}".rule r
                          where r.max_pending is not null and r.tenant is not null)
            or t.plan in (select r.plan from "${schema}".rule r
                           where r.max_pending is not null and r.plan is not null))
       and not exists (select from "${schema}".pending_count b
                        where b.tenant = t.number and b.relation = 0 and b.witness = present)
  loop
    update "${schema}".tenant t set quota = true where t.number = owner and not t.quota;
    delete from "${schema}".pending_count b where b.tenant = owner;
    for part in select * from "${schema}".pending_tables(owner) loop
      begun := clock_timestamp();
      earlier := pg_stat_get_tuples_inserted(part.relation);
      execute format('select count(*) from only %I.%I', '${schema}_' || owner, part.name) into counted;
      insert into "${schema}".pending_count
        (tenant, relation, witness, filenode, tasks, inserted, deleted, exact, counted_at)
      values (owner, part.relation, present, part.filenode, counted, earlier,
              pg_stat_get_tuples_deleted(part.relation), counted = pg_stat_get_live_tuples(part.relation), begun);
    end loop;
    insert into "${schema}".pending_count
      (tenant, relation, witness, filenode, tasks, inserted, deleted, exact, counted_at)
    values (owner, 0, present, 0, 0, 0, 0, true, clock_timestamp());
    tenants := tenants + 1;
    exit when clock_timestamp() > now() + interval '200 milliseconds';
  end loop;
  return tenants;
end
$body$;
comment on function "${schema}".count_pending(boolean) is
  'Counts the pending tasks of some tenants with a quota that were not counted since counters were lost; 0 if none is left. A thorough call counts those anew whose counts no longer tell the tasks.';
comment on column "${schema}".pending_count.filenode is
  'A count that is not exact is renewed when the table was truncated or rewritten.';
