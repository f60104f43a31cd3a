-- Rules that SQL writes get the ranges that the library has. Rows out of range stay as they are: processes leave them
-- out, with a warning.
alter table "${schema}".rule
  add constraint rule_priority_in_range check (priority between -1000 and 1000) not valid,
  add constraint rule_breaker_in_range check (
    substring(breaker from '^(1|0\.[0-9]+) of ')::numeric >= 0.001
    and substring(breaker from ' within ([0-9]{1,11})[a-z]')::bigint
        <= case substring(breaker from ' within [0-9]+([a-z]+)')
           when 'ms' then 35996400000 when 's' then 35996400 when 'm' then 599940 else 9999 end
    and substring(breaker from ' pause ([0-9]{1,11})[a-z]')::bigint
        <= case substring(breaker from ' pause [0-9]+([a-z]+)')
           when 'ms' then 35996400000 when 's' then 35996400 when 'm' then 599940 else 9999 end) not valid;
