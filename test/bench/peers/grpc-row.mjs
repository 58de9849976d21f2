// What libraries alone take for a key over gRPC: the streams of node:http2 without a framework, both rows, fixed bytes.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http2';
import { keyRows } from './key-rows.mjs';
import { listen, settings } from './settings.mjs';

const message = readFileSync(settings.bodyFile);
const prefix = Buffer.alloc(5);
prefix.writeUInt32BE(message.length, 1);
const bytes = Buffer.concat([prefix, message]);
const read = keyRows(settings);

const server = createServer();
server.on('stream', (stream, { authorization }) => {
  stream.on('data', () => {});
  stream.on('error', () => {});
  stream.on('end', () => {
    read(authorization);
    stream.respond({ ':status': 200, 'content-type': 'application/grpc+proto' }, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(bytes);
  });
});
listen(server);
