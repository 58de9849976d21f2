// A bare Fastify server that opens a SQLite file and makes a table in it.
import Database from 'better-sqlite3';
import { fastify } from 'fastify';
import { listen, settings } from './settings.mjs';

const database = new Database(settings.databaseFile);
database.exec('CREATE TABLE IF NOT EXISTS item (id TEXT PRIMARY KEY, name TEXT NOT NULL)');

const server = fastify();
server.get('/readyz', (_, reply) => reply.send({ status: 'ok' }));
await server.ready();
listen(server.server);
