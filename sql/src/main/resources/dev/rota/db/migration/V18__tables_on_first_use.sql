-- Tables of a tenant are made when its first task needs them, by any role that may enqueue. The function make of a
-- tenant's schema runs with the rights of its owner, who owns the tables too, and calls this one with the number.

create function "${schema}".make(tenant integer, thing text) returns void
  language plpgsql volatile parallel unsafe
  set search_path = pg_catalog, pg_temp
as $body$
begin
  -- A thing is what a function make_<thing>(tenant integer) of this schema makes. It takes the tenant's row lock.
  if thing is null or thing !~ '^[a-z]{1,30}$'
     or to_regprocedure(format('%I.%I(integer)', '${schema}', 'make_' || thing)) is null then
    raise exception 'a tenant has no %', coalesce(quote_literal(left(thing, 30)), 'null')
      using errcode = '22023', hint = 'Call it with the name of what the library makes, such as tables.';
  end if;
  execute format('select %I.%I($1)', '${schema}', 'make_' || thing) using tenant;
end
$body$;
comment on function "${schema}".make(integer, text) is
  'Makes what a tenant lacks, such as its tables, with the rights of the caller. Nothing happens if it has it.';
revoke all on function "${schema}".make(integer, text) from public;
