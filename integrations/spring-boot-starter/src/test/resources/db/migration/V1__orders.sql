create table orders (item text primary key);
