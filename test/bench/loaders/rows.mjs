// Writes the rows that chats of an API key write, of all keys in turn, with better-sqlite3 alone: node rows.mjs SETTINGS. The
// newest chat of each key in the database is written again and again, in groups as they end together, with a commit for each.
// Prints how many chats a second, and their processor time. Checkpoints are SQLite's own, within commits.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { uuid } from '../uuid.mjs';

const { file, secretsFile, model, perGroup, seconds } = JSON.parse(process.argv[2]);
const database = new Database(file);
database.exec('PRAGMA synchronous = NORMAL');

// Statements are never collected: see docs/adr/0010-sqlite-objects-are-never-collected.md.
const keep = [];
const prepare = (text) => {
  const statement = database.prepare(text);
  keep.push(statement);
  return statement;
};

const selectRecord = prepare(
  'SELECT * FROM generation WHERE api_key_hash = ? AND model = ? ORDER BY created_at DESC LIMIT 1',
);
const selectEntries = prepare('SELECT * FROM ledger_entry WHERE generation_id = ?');
const [begin, commit] = [prepare('BEGIN IMMEDIATE'), prepare('COMMIT')];
const columns = prepare('SELECT name, pk FROM pragma_table_info(?) ORDER BY pk');
const rowsOf = {
  generation: insertion('generation'),
  ledger_entry: insertion('ledger_entry'),
  spend_total: sums('spend_total'),
  usage_rollup: sums('usage_rollup', ['daily_flip']),
  usage_daily: sums('usage_daily'),
};

const secrets = readFileSync(secretsFile, 'utf8').split('\n');
const chats = secrets.map((secret) => {
  const record = selectRecord.get(hash('sha256', secret, 'hex'), model);
  if (record === undefined) throw new Error(`a key has no chat of ${model}`);
  return { record, entries: selectEntries.all(record.id), ...placesOf(record) };
});

const endsAt = performance.now() + seconds * 1_000;
const before = process.cpuUsage();
let written = 0;
while (performance.now() < endsAt) {
  begin.run();
  for (let count = 0; count < perGroup; count++) write(chats[written++ % chats.length]);
  commit.run();
}
const { user, system } = process.cpuUsage(before);
process.stdout.write(JSON.stringify({ perSecond: written / seconds, cpuMicros: (user + system) / written }));

function write({ record, entries, subjects, rollup, days }) {
  const id = `gen-${uuid()}`;
  const created_at = Date.now();
  rowsOf.generation({ ...record, id, request_id: id, created_at });
  for (const entry of entries) rowsOf.ledger_entry({ ...entry, id: uuid(), generation_id: id, created_at });
  for (const subject of subjects) rowsOf.spend_total([subject]);
  rowsOf.usage_rollup(rollup);
  for (const day of days) rowsOf.usage_daily(day);
}

/** The keys of the sums that a chat adds to. */
function placesOf({
  account_id,
  workspace_id,
  api_key_hash,
  user_id,
  created_at,
  model,
  provider,
  api,
  byok_key_id,
}) {
  const day = -Math.floor(created_at / 86_400_000);
  const isByok = byok_key_id === null ? 0 : 1;
  const hour = Math.floor(created_at / 3_600_000) % 24;
  return {
    subjects: [`account/${account_id}`, `workspace/${workspace_id}`, `key/${api_key_hash}`],
    rollup: [account_id, day, model, provider, workspace_id, api_key_hash, user_id, api, isByok, hour],
    days: [workspace_id, ''].map((workspace) => [account_id, workspace, day, model, provider, api, isByok]),
  };
}

function insertion(table) {
  const names = columns.all(table).map(({ name }) => name);
  const insert = prepare(`INSERT INTO ${table} (${names}) VALUES (${names.map(() => '?')})`);
  return (row) => insert.run(names.map((name) => row[name]));
}

/** Throws where there is no such row. `flipped`: columns of 0 and 1 that an update turns. */
function sums(table, flipped = []) {
  const all = columns.all(table);
  const key = all.filter(({ pk }) => pk > 0).map(({ name }) => `${name} = ?`);
  const changed = all
    .filter(({ pk }) => pk === 0)
    .map(({ name }) => (flipped.includes(name) ? `${name} = 1 - ${name}` : `${name} = ${name} + 0`));
  const update = prepare(`UPDATE ${table} SET ${changed} WHERE ${key.join(' AND ')}`);
  return (values) => {
    if (update.run(values).changes !== 1) throw new Error(`no row of ${table}: ${values}`);
  };
}
