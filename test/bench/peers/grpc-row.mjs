// What Node's libraries alone take for a key over gRPC: the streams of node:http2 without a framework, the digest of the
// caller's secret, the rows of the key and of its balance from a copy of the gateway's database, and fixed bytes.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http2';
import Database from 'better-sqlite3';
import { listen, settings } from './settings.mjs';

const message = readFileSync(settings.bodyFile);
const prefix = Buffer.from([0, 0, 0, 0, 0]);
prefix.writeUInt32BE(message.length, 1);
const bytes = Buffer.concat([prefix, message]);

// Statements are never collected: see sqlite-connection.ts.
const original = new Database(settings.original, { readonly: true });
const copy = original.prepare('VACUUM INTO ?');
copy.run(settings.copy);
const database = new Database(settings.copy);
const selectKey = database.prepare('SELECT * FROM api_key WHERE hash = ? AND deleted_at IS NULL');
const selectBalance = database.prepare('SELECT * FROM spend_total WHERE subject = ?').safeIntegers();

const server = createServer();
server.on('stream', (stream, headers) => {
  const digest = hash('sha256', headers.authorization, 'hex');
  stream.on('data', () => {});
  stream.on('error', () => {});
  stream.on('end', () => {
    selectKey.all(digest);
    selectBalance.all(`key:${digest}`);
    stream.respond({ ':status': 200, 'content-type': 'application/grpc+proto' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(bytes);
  });
});
listen(server);
