// A bare Fastify server that changes one row of SQLite per request, in a transaction of its own.
import Database from 'better-sqlite3';
import { fastify } from 'fastify';
import { listen, settings } from './settings.mjs';

const database = new Database(settings.databaseFile);
database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = ${settings.synchronous}`);
database.exec('CREATE TABLE item (id TEXT PRIMARY KEY, name TEXT NOT NULL, updated_at INTEGER NOT NULL)');
database.exec("INSERT INTO item VALUES ('one', '', 0)");
const select = database.prepare('SELECT * FROM item WHERE id = ?');
const update = database.prepare('UPDATE item SET name = ?, updated_at = ? WHERE id = ?');
const change = database.transaction((name) => {
  update.run(name, Date.now(), select.get('one').id);
  return select.get('one');
});

const server = fastify();
server.patch('/row', (request, reply) => reply.send({ data: change.immediate(request.body.name) }));
await server.ready();
listen(server.server);
