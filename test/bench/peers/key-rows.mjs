// Rows of the gateway that a caller's secret leads to, from a copy of its database.
import { hash } from 'node:crypto';
import Database from 'better-sqlite3';

/** Opens the copy, and gives a function that reads the rows of a key and of its balance. Throws unless the key is there. */
export function keyRows(settings) {
  const { database, find } = open(settings);
  const selectBalance = database.prepare('SELECT * FROM spend_total WHERE subject = ?').safeIntegers();
  keep.push(selectBalance);
  return find((key) => selectBalance.get(`key:${key.hash}`));
}

/** As `keyRows`, with the policy of the key's workspace instead of the balance. */
export function policyRows(settings) {
  const { database, find } = open(settings);
  const selectPolicy = database.prepare(
    'SELECT * FROM workspace LEFT JOIN guardrail ON guardrail.id = default_guardrail_id WHERE workspace.id = ?',
  );
  keep.push(selectPolicy);
  return find((key) => selectPolicy.get(key.workspace_id));
}

function open({ original, copy, authorization }) {
  // Statements are never collected: see docs/adr/0010-sqlite-objects-are-never-collected.md.
  const source = new Database(original, { readonly: true });
  const duplicate = source.prepare('VACUUM INTO ?');
  duplicate.run(copy);
  const database = new Database(copy);
  const selectKey = database.prepare('SELECT * FROM api_key WHERE hash = ? AND deleted_at IS NULL');
  keep.push(source, duplicate, database, selectKey);
  const find = (second) => {
    const read = (header) => {
      const key = selectKey.get(hash('sha256', header.slice('Bearer '.length), 'hex'));
      return [key, second(key)];
    };
    if (read(authorization)[0] === undefined) throw new Error('no row of the key');
    return read;
  };
  return { database, find };
}

const keep = [];
