// What libraries alone take for a start: Fastify, better-sqlite3 with a copy of the gateway's catalogue, and Connect with the
// contract's descriptors.
import { readdirSync } from 'node:fs';
import { createConnectRouter } from '@connectrpc/connect';
import Database from 'better-sqlite3';
import { fastify } from 'fastify';
import { listen, settings } from './settings.mjs';

const database = new Database(settings.databaseFile);
const select = database.prepare('SELECT document_json FROM catalog_model').pluck();
const models = select.all().map((document) => JSON.parse(document));

const contract = new URL('../../../dist/gen/byway/v1/', import.meta.url);
const files = readdirSync(contract).filter((name) => name.endsWith('_pb.js'));
const modules = await Promise.all(files.map((name) => import(new URL(name, contract))));
const services = modules.flatMap(Object.values).filter(({ kind }) => kind === 'service');
const router = createConnectRouter();
for (const service of services) router.service(service, {});

const server = fastify();
server.get('/readyz', (_, reply) => reply.send({ status: 'ok', models: models.length }));
for (const { requestPath } of router.handlers) server.post(requestPath, (_, reply) => reply.code(501).send());
await server.ready();
listen(server.server);
