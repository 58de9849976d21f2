// What the gateway's libraries alone take for a chat, streamed or not, or a response: a Fastify route that calls the provider with
// undici, and then writes the record, the ledger entry, the totals and the rollup, all of them the rows that the gateway has
// written for such a chat, into a copy of its database, in groups. Nothing is checked, routed or counted.
import { hash } from 'node:crypto';
import Database from 'better-sqlite3';
import { createParser } from 'eventsource-parser';
import { fastify } from 'fastify';
import { Pool } from 'undici';
import { uuid } from '../uuid.mjs';
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
const selectColumns = database.prepare('SELECT name, pk FROM pragma_table_info(?)');
const chat = selectRecord.get();
const entry = selectEntry.get(chat.id);
const subjects = selectSubjects.all();
const amounts = selectColumns.all('spend_total').flatMap(({ name }) => (name === 'subject' ? [] : [name]));
const rollup = selectColumns.all('usage_rollup');
const sums = rollup.flatMap(({ name, pk }) => (pk > 0 ? [] : [name]));
const keys = rollup.flatMap(({ name, pk }) => (pk > 0 ? [name] : []));
const selectRollup = database.prepare(`SELECT ${keys.join()} FROM usage_rollup LIMIT 1`);
const rollupKey = Object.values(selectRollup.get());

/** Max rows that one statement inserts. */
const ROWS_AT_ONCE = 8;

const begin = database.prepare('BEGIN IMMEDIATE');
const commit = database.prepare('COMMIT');
const insertRecords = inserter('generation', chat);
const insertEntries = inserter('ledger_entry', entry);
const move = database.prepare(`UPDATE spend_total SET ${added(amounts)} WHERE subject = ?`);
const count = database.prepare(
  `UPDATE usage_rollup SET ${added(sums)} WHERE ${keys.map((name) => `${name} = ?`).join(' AND ')}`,
);

function added(names) {
  return names.map((name) => `${name} = ${name} + ?`).join();
}

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

let [ended, waiting] = [[], []];

/** Resolves once everything in the list at the end of this tick is committed. */
function written() {
  if (waiting.length === 0) setImmediate(write);
  return new Promise((resolve) => waiting.push(resolve));
}

function write() {
  const [chats, all] = [ended, waiting];
  [ended, waiting] = [[], []];
  begin.run();
  insertRecords(chats.map((chat) => chat.record));
  insertEntries(chats.map((chat) => chat.entry));
  for (const subject of subjects) move.run(...amounts.map(() => 0), subject);
  count.run(...sums.map(() => 0), ...rollupKey);
  commit.run();
  for (const resolve of all) resolve();
}

const pool = new Pool(settings.origin, { connections: 256 });
const headers = { 'content-type': 'application/json', authorization: 'Bearer sk-bench' };

const server = fastify();
server.post('/v1/chat/completions', answer);
server.post('/v1/responses', answer);
await server.ready();
listen(server.server);

async function answer({ url, headers: { authorization }, body }, reply) {
  const id = `gen-${uuid()}`;
  const own = { id, api_key_hash: hash('sha256', authorization, 'hex'), created_at: Date.now() };
  const sent = JSON.stringify({ ...body, model: 'bench' });
  const answered = await pool.request({ path: url, method: 'POST', headers, body: sent });
  reply.header('x-generation-id', id);
  if (body.stream) return forward(answered, reply, own);
  const provided = JSON.parse(await answered.body.text());
  await record(own);
  return reply.send({ ...provided, id, provider: chat.provider });
}

/** Parses each event and writes it anew; the rows are written before the last one. */
function forward({ body, headers }, reply, own) {
  reply.hijack();
  reply.raw.writeHead(200, { 'content-type': headers['content-type'], ...reply.getHeaders() });
  const parser = createParser({
    onEvent: ({ event, data }) => {
      const name = event === undefined ? '' : `event: ${event}\n`;
      const text = `${name}data: ${data === '[DONE]' ? data : JSON.stringify(JSON.parse(data))}\n\n`;
      if (data === '[DONE]' || event === 'response.completed')
        void record(own).then(() => reply.raw.end(text));
      else reply.raw.write(text);
    },
  });
  const decoder = new TextDecoder();
  body.on('data', (bytes) => parser.feed(decoder.decode(bytes, { stream: true })));
}

function record({ id, api_key_hash, created_at }) {
  ended.push({
    record: { ...chat, id, request_id: id, api_key_hash, created_at },
    entry: { ...entry, id: uuid(), generation_id: id, created_at },
  });
  return written();
}
