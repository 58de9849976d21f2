// A provider that answers every request with what was PUT last, whatever it is; tokens of Google's with a token.
import { createServer } from 'node:http';
import { listen } from './settings.mjs';

const TOKEN = JSON.stringify({ access_token: 'ya29.bench', expires_in: 3599, token_type: 'Bearer' });

let next = { status: 200, headers: {}, body: Buffer.alloc(0) };

const server = createServer((request, response) => {
  const pieces = [];
  request.on('data', (piece) => pieces.push(piece));
  request.on('end', () => {
    response.on('error', () => undefined);
    if (request.method === 'PUT') {
      const { status, headers } = JSON.parse(request.headers['x-answer']);
      next = { status, headers, body: Buffer.concat(pieces) };
      response.end();
    } else if (request.url.startsWith('/token')) {
      response.writeHead(200, { 'content-type': 'application/json' }).end(TOKEN);
    } else response.writeHead(next.status, next.headers).end(next.body);
  });
});
server.keepAliveTimeout = 60_000;
listen(server);
