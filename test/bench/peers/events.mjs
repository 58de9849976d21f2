// A provider that answers each request with a fixed text, chosen by a word in the request's path.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { listen, settings } from './settings.mjs';

const answers = settings.answers.map(({ word, type, file }) => ({ word, type, text: readFileSync(file) }));

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    const answer = answers.find(({ word }) => request.url.includes(word));
    if (answer === undefined) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': answer.type });
    response.end(answer.text);
  });
});
server.keepAliveTimeout = 60_000;
listen(server);
