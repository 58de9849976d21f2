// What the gateway's libraries alone take for a chat: a Fastify route that reserves money, calls the provider with undici,
// and then writes the record, the ledger entry and the totals, all of them the rows that the gateway has written for such
// a chat, into a copy of its database, in groups. Nothing is checked, routed or counted.
import { hash, randomUUID } from 'node:crypto';
import Database from 'better-sqlite3';
import { fastify } from 'fastify';
import { Pool } from 'undici';
import { listen, settings } from './settings.mjs';

// Statements are never collected: see sqlite-connection.ts.
const original = new Database(settings.original, { readonly: true });
const copy = original.prepare('VACUUM INTO ?');
copy.run(settings.copy);
const database = new Database(settings.copy);
database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');

const selectRecord = database.prepare('SELECT * FROM generation LIMIT 1');
const selectEntry = database.prepare('SELECT * FROM ledger_entry WHERE generation_id = ?');
const selectSubjects = database.prepare('SELECT subject FROM spend_total').pluck();
const selectColumns = database.prepare('SELECT name, type FROM pragma_table_info(?)');
const record = selectRecord.get();
const entry = selectEntry.get(record.id);
const reservation = Object.fromEntries(
  selectColumns
    .all('reservation')
    .map(({ name, type }) => [name, record[name] ?? (type === 'text' ? record.account_id : 1)]),
);
const subjects = selectSubjects.all();
const amounts = selectColumns.all('spend_total').flatMap(({ name }) => (name === 'subject' ? [] : [name]));

/** Max rows that one statement inserts. */
const ROWS_AT_ONCE = 8;

const begin = database.prepare('BEGIN IMMEDIATE');
const commit = database.prepare('COMMIT');
const insertReservations = inserter('reservation', reservation);
const insertRecords = inserter('generation', record);
const insertEntries = inserter('ledger_entry', entry);
const remove = database.prepare('DELETE FROM reservation WHERE id = ?');
const move = database.prepare(
  `UPDATE spend_total SET ${amounts.map((name) => `${name} = ${name} + ?`).join()} WHERE subject = ?`,
);
const nothing = amounts.map(() => 0);

function inserter(table, row) {
  const names = Object.keys(row);
  const one = `(${names.map(() => '?').join()})`;
  const statements = Array.from({ length: ROWS_AT_ONCE }, (_, more) =>
    database.prepare(
      `INSERT INTO ${table} (${names.join()}) VALUES ${Array(more + 1)
        .fill(one)
        .join()}`,
    ),
  );
  return (rows) => {
    for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
      const some = rows.slice(at, at + ROWS_AT_ONCE);
      const parameters = [];
      for (const values of some) for (const name of names) parameters.push(values[name]);
      statements[some.length - 1].run(parameters);
    }
  };
}

let [began, ended, waiting] = [[], [], []];

/** Resolves once everything in the lists at the end of this tick is committed. */
function written() {
  if (waiting.length === 0) setImmediate(write);
  return new Promise((resolve) => waiting.push(resolve));
}

function write() {
  const [reservations, chats, all] = [began, ended, waiting];
  [began, ended, waiting] = [[], [], []];
  begin.run();
  insertReservations(reservations);
  insertRecords(chats.map((chat) => chat.record));
  insertEntries(chats.map((chat) => chat.entry));
  for (const { id } of chats) remove.run(id);
  for (const subject of subjects) move.run(...nothing, subject);
  commit.run();
  for (const resolve of all) resolve();
}

/** As the gateway's, they begin with the time. */
function uuid() {
  const time = Date.now().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}

const pool = new Pool(settings.origin, { connections: 256 });
const headers = { 'content-type': 'application/json', authorization: 'Bearer sk-bench' };

const server = fastify();
server.post('/v1/chat/completions', async ({ headers: { authorization }, body }, reply) => {
  const id = `gen-${uuid()}`;
  const now = Date.now();
  began.push({ ...reservation, id, api_key_hash: hash('sha256', authorization, 'hex'), expires_at: now });
  await written();
  const sent = JSON.stringify({ ...body, model: 'bench' });
  const answer = await pool.request({ path: '/v1/chat/completions', method: 'POST', headers, body: sent });
  const provided = JSON.parse(await answer.body.text());
  ended.push({
    id,
    record: { ...record, id, request_id: id, created_at: now },
    entry: { ...entry, id: uuid(), generation_id: id, created_at: now },
  });
  await written();
  return reply.header('x-generation-id', id).send({ ...provided, id, provider: record.provider });
});
await server.ready();
listen(server.server);
