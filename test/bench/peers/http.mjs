// A bare node:http server that parses a JSON body and answers with fixed bytes, whole or as events.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { setImmediate as hop } from 'node:timers/promises';
import { listen, settings } from './settings.mjs';

const whole = readFileSync(settings.bodyFile);
const events = readFileSync(settings.streamFile, 'utf8').split(/(?<=\n\n)/);

const server = createServer((request, response) => {
  const pieces = [];
  request.on('data', (piece) => pieces.push(piece));
  request.on('end', () => {
    const body = JSON.parse(Buffer.concat(pieces).toString('utf8'));
    if (body.stream === true) return void stream(response);
    response.setHeader('Content-Type', 'application/json; charset=utf-8');
    response.end(whole);
  });
});
listen(server);

/** Each event in a tick of its own, as a provider's chunks arrive. */
async function stream(response) {
  response.setHeader('Content-Type', 'text/event-stream; charset=utf-8');
  for (const event of events) {
    await hop();
    response.write(event);
  }
  response.end();
}
