// What a hostile tenant sends for so many seconds: node hostile.mjs SETTINGS. `kinds` are of those below, all at once. Prints
// how many requests of each were answered with which status.
import http from 'node:http';

const { url, apiKey, managementKey, model, kinds, seconds } = JSON.parse(process.argv[2]);
const endsAt = performance.now() + seconds * 1000;
const agent = new http.Agent({ keepAlive: true, maxSockets: Infinity });
const answered = {};

const HELLO = [{ role: 'user', content: 'Hello there' }];
const chat = (more) => JSON.stringify({ model, messages: HELLO, max_tokens: 10, ...more });
const LARGE = chat({ messages: [{ role: 'user', content: 'word '.repeat(6_000_000) }] });

/** Requests that are sent again as soon as they are answered: how many at once, and which. */
const KINDS = {
  streams: [1_100, 'POST', '/chat/completions', apiKey, chat({ stream: true })],
  exports: [8, 'GET', '/generations/export', managementKey],
  bodies: [16, 'POST', '/chat/completions', apiKey, LARGE],
  refused: [32, 'POST', '/chat/completions', apiKey, chat({ model: 'nobody/nothing' })],
  counts: [32, 'POST', '/messages/count_tokens', apiKey, chat({})],
};

await Promise.all(kinds.flatMap((kind) => Array.from({ length: KINDS[kind][0] }, () => repeat(kind))));
process.stdout.write(JSON.stringify(answered));
process.exit();

async function repeat(kind) {
  while (performance.now() < endsAt) {
    const status = await send(KINDS[kind]).catch(() => 'broken');
    const key = `${kind} ${status}`;
    answered[key] = (answered[key] ?? 0) + 1;
    if (status === 429 || status === 'broken') await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

function send([, method, path, key, body]) {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const request = http.request(`${url}/api/v1${path}`, { agent, method, headers }, (response) => {
      response.on('end', () => resolve(response.statusCode));
      response.on('error', reject);
      response.resume();
    });
    // Streams are longer than the hour lasts.
    setTimeout(() => request.destroy(), Math.max(0, endsAt - performance.now()));
    request.on('error', reject);
    request.end(body);
  });
}
