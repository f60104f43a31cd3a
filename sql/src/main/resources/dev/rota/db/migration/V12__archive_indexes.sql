-- The archiver looks for work every second, among segments and objects of years: without these it would read all of them.

create index segment_present on "${schema}".segment (tenant, seq) where dropped_at is null;
create index archive_begun on "${schema}".archive (tenant, seq) where archived_at is null;
create index archive_expired on "${schema}".archive (expired_at) where expired_at is not null;
create index archive_sealed on "${schema}".archive (tenant, sealed_at) where expired_at is null;
