// A bare node:http server that parses the JSON of each request and forwards it with undici, its answer's bytes as they are.
import { createServer } from 'node:http';
import { Pool } from 'undici';
import { listen, settings } from './settings.mjs';

const pool = new Pool(settings.origin, { connections: 256 });
const headers = { 'content-type': 'application/json', authorization: 'Bearer sk-bench' };

const server = createServer((request, response) => {
  const pieces = [];
  request.on('data', (piece) => pieces.push(piece));
  request.on(
    'end',
    () => void forward(request.url, JSON.parse(Buffer.concat(pieces).toString('utf8')), response),
  );
});
listen(server);

async function forward(path, body, response) {
  try {
    const sent = JSON.stringify({ ...body, model: 'bench' });
    const answer = await pool.request({ path, method: 'POST', headers, body: sent });
    const bytes = Buffer.from(await answer.body.arrayBuffer());
    response.writeHead(answer.statusCode, { 'content-type': answer.headers['content-type'] });
    response.end(bytes);
  } catch (error) {
    response.writeHead(502).end(error.message);
  }
}
