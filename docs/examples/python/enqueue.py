"""Enqueues tasks of the tenant acme with psycopg2. A worker in Java runs them."""

import json
import os

import psycopg2

connection = psycopg2.connect(os.environ["DATABASE_URL"])

# The task is durable when the block ends, which commits.
with connection, connection.cursor() as cursor:
    payload = json.dumps({"to": "joe"})
    cursor.execute("select rota.enqueue(%s, %s, %s)", ("acme", "email.send", payload))
    print("task", cursor.fetchone()[0])

# The order and its tasks exist together, or none does. The second one is due in an hour.
with connection, connection.cursor() as cursor:
    cursor.execute("create table if not exists orders (item text)")
    cursor.execute("insert into orders values (%s)", ("book",))
    payload = json.dumps({"item": "book"})
    cursor.execute("select rota.enqueue(%s, %s, %s)", ("acme", "email.send", payload))
    cursor.execute(
        "select rota.enqueue(%s, %s, %s, now() + interval '1 hour')",
        ("acme", "order.remind", payload),
    )

connection.close()
