// Which code runs for one call: node scripts/covered.mjs [CHECKOUT] (a built one; this by default). Serves in this process from
// the compiled modules of dist/modules, makes each call once, and counts what V8 runs of them for the second: files and functions of
// src. Work of the gateway's own may come between; the fewest of the calls after it are what a call runs at least. Providers
// are played here. Prints a table; nothing is asserted.
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { freePort } from './free-port.mjs';

const START_MS = 30_000;
// Work of the gateway's own, such as settlements that are written together, ends within it.
const QUIET_MS = 300;
const CALLS = 5;

const CHAT = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1767225600,
  model: 'covered/chat',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello!' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 8, completion_tokens: 2, total_tokens: 10 },
};

const USAGE = { input_tokens: 8, output_tokens: 1 };

const EVENTS = [
  {
    type: 'message_start',
    message: {
      ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'covered/claude', content: [] },
      ...{ stop_reason: null, stop_sequence: null, usage: USAGE },
    },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello!' } },
  { type: 'content_block_stop', index: 0 },
  {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn', stop_sequence: null },
    usage: { output_tokens: 2 },
  },
  { type: 'message_stop' },
];

const root = resolve(process.argv[2] ?? dirname(dirname(fileURLToPath(import.meta.url))));
const modules = join(root, 'dist', 'modules');
const dataDir = mkdtempSync(join(tmpdir(), 'byway-covered-'));
process.on('exit', () => rmSync(dataDir, { recursive: true, force: true }));

const provider = await startProvider();
writeFileSync(join(dataDir, 'catalog.json'), JSON.stringify(catalogOf(provider.url)));
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
Object.assign(process.env, {
  PORT: String(port),
  HOST: '127.0.0.1',
  BYWAY_DATA_DIR: dataDir,
  BYWAY_CATALOG: join(dataDir, 'catalog.json'),
  BYWAY_LOG_LEVEL: 'silent',
  BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1',
});
process.argv = [process.argv[0], join(modules, 'src', 'main.js'), 'serve'];
await import(pathToFileURL(process.argv[1]).href);
const keys = await firstStartKeys();
for (const slug of ['openai', 'anthropic']) {
  await call('POST', '/byok', { provider: slug, key: `sk-${'0123456789'.repeat(4)}` }, keys.management_key);
}
const { data } = await call('POST', '/keys', { name: 'Covered' }, keys.management_key);

const session = new Session();
session.connect();
await session.post('Profiler.enable');
const rows = [];
for (const [name, make] of Object.entries(await callsTo(data.hash))) {
  await make();
  const counts = [];
  for (let made = 0; made < CALLS; made++) counts.push(await ranFor(make));
  const fewest = (of) => Math.min(...counts.map((count) => count[of]));
  rows.push(
    `| ${name} | ${counts[0].files} | ${counts[0].functions} | ${fewest('files')} | ${fewest('functions')} |`,
  );
}
console.log('| Call | Files | Functions | Fewest files | Fewest functions |\n|---|---|---|---|---|');
console.log(rows.join('\n'));
process.exit();

async function ranFor(make) {
  await pause(QUIET_MS);
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await make();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  return ranIn(result);
}

function ranIn(scripts) {
  const below = pathToFileURL(join(modules, 'src')).href;
  const counts = scripts
    .filter((script) => script.url.startsWith(below))
    .map(({ functions }) => functions.filter(({ ranges }) => ranges[0].count > 0).length)
    .filter((count) => count > 0);
  return { files: counts.length, functions: counts.reduce((sum, count) => sum + count, 0) };
}

async function callsTo(hash) {
  const { KeyService } = await import(pathToFileURL(join(modules, 'gen', 'byway', 'v1', 'keys_pb.js')).href);
  const grpc = createClient(KeyService, createGrpcTransport({ baseUrl: url }));
  const headers = { authorization: `Bearer ${keys.management_key}` };
  const messages = [{ role: 'user', content: 'Hello' }];
  let number = 0;
  return {
    'REST chat': () => call('POST', '/chat/completions', { model: 'covered/chat', messages }, keys.api_key),
    'streamed Messages request, native': () =>
      call(
        'POST',
        '/messages',
        { model: 'covered/claude', max_tokens: 64, stream: true, messages },
        keys.api_key,
      ),
    'PATCH of an API key': () =>
      call('PATCH', `/keys/${hash}`, { name: `Name ${number++}` }, keys.management_key),
    'gRPC GetKey': () => grpc.getKey({ hash }, { headers }),
  };
}

async function call(method, path, body, key) {
  const answer = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${text}`);
  return body.stream === true ? text : JSON.parse(text);
}

async function firstStartKeys() {
  for (const end = Date.now() + START_MS; Date.now() < end; await pause(50)) {
    const answer = await fetch(`${url}/readyz`).catch(() => undefined);
    if (answer?.ok) return JSON.parse(readFileSync(join(dataDir, 'first-start.json'), 'utf8'));
  }
  throw new Error('the gateway did not start');
}

function catalogOf(base) {
  const model = (id, slug) => ({
    id,
    canonical_slug: id,
    name: id,
    created: 1767225600,
    context_length: 100000,
    architecture: { modality: 'text->text', input_modalities: ['text'], output_modalities: ['text'] },
    supported_parameters: ['max_tokens'],
    endpoints: [
      {
        provider: slug,
        upstream_model_id: id,
        pricing: { prompt: '0.000001', completion: '0.000002' },
        max_completion_tokens: 4096,
      },
    ],
  });
  const host = (slug) => ({ slug, name: slug, adapter: slug, base_url: `${base}/v1` });
  return {
    providers: [host('openai'), host('anthropic')],
    models: [model('covered/chat', 'openai'), model('covered/claude', 'anthropic')],
  };
}

/** Answers chats in one piece and streams messages, whatever is asked. */
async function startProvider() {
  const server = createServer(async (request, response) => {
    await request.resume().toArray();
    const isChat = request.url.endsWith('/chat/completions');
    response.setHeader('content-type', isChat ? 'application/json' : 'text/event-stream');
    response.end(isChat ? JSON.stringify(CHAT) : EVENTS.map(eventText).join(''));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${server.address().port}` };
}

function eventText(event) {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
}
