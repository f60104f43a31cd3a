-- Statistics of a kind are read over all tenants. The index on the hour alone finds nothing that this one does not.

create index statistic_hour_kind on "${schema}".statistic (hour, kind);
drop index "${schema}".statistic_hour;
