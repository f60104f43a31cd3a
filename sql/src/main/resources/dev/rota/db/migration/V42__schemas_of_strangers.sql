-- As in V18, but that functions of another role are refused too, and the hint does not tell to take over what another
-- role has made under the name of a tenant's schema. pg_depend finds the functions of one schema: the index of pg_proc
-- would go through those of all tenants.
create or replace function "${schema}".open_tenant(tenant integer) returns void
  language plpgsql volatile parallel unsafe security definer
  set search_path = pg_catalog, pg_temp
as $body$
declare
  own   constant text := '${schema}_' || tenant;
  place oid;
  alien record;
begin
  -- Waits for another session that does the same.
  perform from "${schema}".tenant t where t.number = open_tenant.tenant for no key update;
  if not found then
    raise exception 'no tenant has the number %', tenant
      using errcode = '42704', hint = 'It was erased. Register it anew: rota tenant add NAME.';
  end if;
  select n.oid into place from pg_namespace n where n.nspname = own;
  if not found then
    execute format('create schema %I', own);
    perform "${schema}".make_own_functions(tenant);
  else
    select o.what, pg_get_userbyid(o.owner) as owner into alien
      from (select format('schema %I', own), n.nspowner
              from pg_namespace n where n.oid = place
             union all
            select format('function %I.%I', own, p.proname), p.proowner
              from pg_depend d join pg_proc p on p.oid = d.objid
             where d.refclassid = 'pg_namespace'::regclass and d.refobjid = place
               and d.classid = 'pg_proc'::regclass and p.proname in ('enqueue', 'make')) as o (what, owner)
     where pg_get_userbyid(o.owner) <> current_user
     limit 1;
    if found then
      raise exception '% of tenant % belongs to %', alien.what, tenant, alien.owner
        using errcode = '42P06',
              hint = 'Drop or rename it if it is not of Rota. If it is, run: rota migrate --with-roles.';
    end if;
  end if;
  perform "${schema}".make_tables(tenant);
end
$body$;
