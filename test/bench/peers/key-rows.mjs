// The rows of a key and of its balance, found by the caller's secret, from a copy of the gateway's database.
import { hash } from 'node:crypto';
import Database from 'better-sqlite3';

/** Opens the copy, and gives a function that reads both rows. Throws unless they are there. */
export function keyRows({ original, copy, authorization }) {
  // Statements are never collected: see docs/adr/0010-sqlite-objects-are-never-collected.md.
  const source = new Database(original, { readonly: true });
  const duplicate = source.prepare('VACUUM INTO ?');
  duplicate.run(copy);
  const database = new Database(copy);
  const selectKey = database.prepare('SELECT * FROM api_key WHERE hash = ? AND deleted_at IS NULL');
  const selectBalance = database.prepare('SELECT * FROM spend_total WHERE subject = ?').safeIntegers();
  keep.push(source, duplicate, database, selectKey, selectBalance);
  const read = (header) => {
    const digest = hash('sha256', header.slice('Bearer '.length), 'hex');
    return [selectKey.get(digest), selectBalance.get(`key:${digest}`)];
  };
  if (read(authorization)[0] === undefined) throw new Error('no row of the key');
  return read;
}

const keep = [];
