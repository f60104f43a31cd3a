// Enqueues tasks of the tenant acme with the package pg. A worker in Java runs them.
import pg from 'pg'

const client = new pg.Client({ connectionString: process.env.DATABASE_URL })
await client.connect()

// The task is durable when the query returns.
const { rows } = await client.query('select rota.enqueue($1, $2, $3) as id',
  ['acme', 'email.send', JSON.stringify({ to: 'joe' })])
console.log('task', rows[0].id)

// The order and its tasks exist together, or none does. The second one is due in an hour.
const payload = JSON.stringify({ item: 'book' })
try {
  await client.query('begin')
  await client.query('create table if not exists orders (item text)')
  await client.query('insert into orders values ($1)', ['book'])
  await client.query('select rota.enqueue($1, $2, $3)', ['acme', 'email.send', payload])
  await client.query("select rota.enqueue($1, $2, $3, now() + interval '1 hour')",
    ['acme', 'order.remind', payload])
  await client.query('commit')
} catch (error) {
  await client.query('rollback')
  throw error
} finally {
  await client.end()
}
