// A bare node:http server that forwards streams with undici and parses each event, which it writes anew.
import { createServer } from 'node:http';
import { createParser } from 'eventsource-parser';
import { Pool } from 'undici';
import { listen, settings } from './settings.mjs';

// As many connections as there are streams at a time.
const pool = new Pool(settings.origin, { connections: null });
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
    response.writeHead(answer.statusCode, { 'content-type': answer.headers['content-type'] });
    const parser = createParser({
      onEvent: ({ event, data }) => {
        const name = event === undefined ? '' : `event: ${event}\n`;
        response.write(`${name}data: ${data === '[DONE]' ? data : JSON.stringify(JSON.parse(data))}\n\n`);
      },
    });
    const decoder = new TextDecoder();
    answer.body.on('data', (bytes) => parser.feed(decoder.decode(bytes, { stream: true })));
    answer.body.on('end', () => response.end());
  } catch (error) {
    response.writeHead(502).end(error.message);
  }
}
