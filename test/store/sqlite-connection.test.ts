import { setImmediate as hop } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { openEngine } from '../../src/store/open.js';
import { temporaryDatabaseUrl } from '../support/database.js';
import { openSqliteFile } from '../support/sqlite.js';

const TEXTS = 600;

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Collects twice: the target of a weak reference stays alive until the end of the current job of the event loop. */
async function collected(): Promise<void> {
  for (let round = 0; round < 2; round++) {
    await hop();
    collectGarbage();
  }
}

/** Weak references to the native objects of every connection that is used and every statement that is prepared. */
function trackNativeObjects(): Set<WeakRef<object>> {
  const tracked = new Set<WeakRef<object>>();
  const database = openSqliteFile(':memory:');
  const [native] = Object.getOwnPropertySymbols(database).map((symbol) => Reflect.get(database, symbol));
  const prototype = Object.getPrototypeOf(native);
  const { prepare } = prototype;
  const connections = new WeakSet<object>();
  prototype.prepare = function (this: object, ...parameters: unknown[]) {
    if (!connections.has(this)) tracked.add(new WeakRef(this));
    connections.add(this);
    const statement: object = prepare.apply(this, parameters);
    tracked.add(new WeakRef(statement));
    return statement;
  };
  onTestFinished(() => {
    prototype.prepare = prepare;
    database.close();
  });
  return tracked;
}

async function useDatabase(): Promise<void> {
  const engine = await openEngine(await temporaryDatabaseUrl('sqlite'));
  await engine.transact((tx) => sql`create table item (id integer primary key)`.execute(tx));
  await engine.transact((tx) => sql`insert into item values (${1})`.execute(tx));
  for (let index = 0; index < TEXTS; index++) await sql`select ${sql.lit(index)}`.execute(engine.reader);
  expect(await engine.integrityErrors()).toEqual([]);
  await engine.dataVersion();
  await engine.close();
}

test('no connection and no statement is ever garbage collected, however many there are, even after close', async () => {
  const made = trackNativeObjects();
  const stray = new WeakRef({});
  await useDatabase();
  await useDatabase();
  await collected();
  expect(stray.deref()).toBeUndefined();
  expect(made.size).toBeGreaterThan(2 * TEXTS);
  expect([...made].filter((object) => object.deref() === undefined)).toEqual([]);
});

test('a statement that runs repeatedly is prepared once', async () => {
  const engine = await openEngine(await temporaryDatabaseUrl('sqlite'));
  onTestFinished(() => engine.close());
  const runStatements = async () => {
    await engine.dataVersion();
    await engine.integrityErrors();
    await engine.transact((tx) => sql`select ${1}`.execute(tx));
    await sql`select ${2}`.execute(engine.reader);
    await engine.transact(async () => Promise.reject(new Error('undone'))).catch(() => undefined);
  };
  await runStatements();
  const made = trackNativeObjects();
  for (let round = 0; round < 10; round++) await runStatements();
  expect([...made]).toEqual([]);
});
