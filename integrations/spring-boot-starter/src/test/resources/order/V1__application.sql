--liquibase formatted sql
--changeset shop:1
create table application as select to_regclass('rota.tenant') is null as rota_was_missing;
