-- Enqueues tasks of the tenant acme. A worker in Java runs them.

-- The task is durable when the statement returns.
select rota.enqueue('acme', 'email.send', '{"to": "joe"}');

-- The order and its tasks exist together, or none does. The second one is due in an hour.
begin;
create table if not exists orders (item text);
insert into orders values ('book');
select rota.enqueue('acme', 'email.send', '{"item": "book"}');
select rota.enqueue('acme', 'order.remind', '{"item": "book"}', now() + interval '1 hour');
commit;

-- A trigger enqueues for each order, in the transaction of the order.
create or replace function enqueue_mail() returns trigger language plpgsql as $body$
begin
  perform rota.enqueue('acme', 'email.send', json_build_object('item', new.item)::text);
  return new;
end
$body$;
create or replace trigger enqueue_mail after insert on orders for each row execute function enqueue_mail();
insert into orders values ('pen');
