import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Counter, Histogram, Registry } from 'prom-client';
import { JsonText } from '../../../src/base/json/json-text.js';
import { SignalSource } from '../../../src/base/signal.js';
import { KeyIndex } from '../../../src/byok/cache/key-index.js';
import { Matcher } from '../../../src/byok/redaction/matcher.js';
import { secret } from '../../../src/byok/redaction/secrets.js';
import type { ByokKey } from '../../../src/byok/types.js';
import type { ChatChunk } from '../../../src/formats/chat/types.js';
import { pieceWriter, type WritePiece } from '../../../src/http/piece-writer.js';
import { ChunkTexts } from '../../../src/rpc/messages/chunk-text.js';
import { counter, histogram } from '../../../src/server/metrics/families.js';
import type { Measurement } from '../measurement.js';
import { Matcher as PlainMatcher } from '../plain/matcher.js';
import { measured, repeated, type Works } from '../rounds.js';

/**
 * What tricks of speed buy (docs/performance.md#tricks-of-speed), each beside what does the same plainly: the processor time
 * of one use, in the best of some rounds, which alternate.
 */
export async function measureTricks(): Promise<Measurement[]> {
  return [
    await measured('a signal of an attempt, with a listener', 'AbortController', 20_000, {
      ours: repeated(() => listened(new SignalSource())),
      plain: repeated(() => listened(new AbortController().signal)),
    }),
    await measured('a counter and a histogram of a request', 'prom-client', 20_000, metrics()),
    ...(await measuredRedaction()),
    await measured('a piece of a stream, written alone', "Node's chunked coding", PIECES, {
      ours: () => sendPieces(pieceWriter),
      plain: () => sendPieces((raw) => (text) => raw.write(text)),
    }),
    await measured('the text of a chunk', 'JSON.stringify', 5_000, chunks()),
    await measured(
      'one of 10,000 provider keys changed, all indexed anew',
      'an index of 10',
      1,
      keyIndexes(),
    ),
  ];
}

const listener = () => undefined;

function listened(signal: Pick<SignalSource, 'addEventListener' | 'removeEventListener'>): void {
  signal.addEventListener('abort', listener);
  signal.removeEventListener('abort', listener);
}

function metrics(): Works {
  const labels = ['provider', 'status'] as const;
  const [count, times] = [counter('a_total', 'A.', ...labels), histogram('a_seconds', 'A.', ...labels)];
  const of = { labelNames: labels, registers: [new Registry()] };
  const plainCount = new Counter({ name: 'a_total', help: 'A.', ...of });
  const plainTimes = new Histogram({ name: 'a_seconds', help: 'A.', ...of });
  return {
    ours: repeated(() => {
      count.at('openai', '200').value += 1;
      times.at('openai', '200').observe(0.2);
    }),
    plain: repeated(() => {
      plainCount.inc({ provider: 'openai', status: '200' });
      plainTimes.observe({ provider: 'openai', status: '200' }, 0.2);
    }),
  };
}

const KEY = 'sk-proj-2f0cA91bT7xQmZ4LwYk8RgVh3JdN6sUeB5oPiC';
const ID = 'chatcmpl-9f8e7d6c5b4a39281706f5e4d3c2b1a0';

const PROSE = readFileSync(new URL('../../../docs/routing.md', import.meta.url), 'utf8').replaceAll(
  /[%&\\]/g,
  '',
);

/** Texts of an answer: how often a short chat has them, and what they are. */
const TEXTS: readonly (readonly [string, 'member' | 'content', string, number])[] = [
  ['an identifier', 'member', ID, 5_000],
  ['a delta of 20 characters', 'content', 'the quick brown fox ', 20_000],
  ['an answer of 2,000 characters', 'content', PROSE.slice(0, 2_000), 500],
  ['an answer of 100,000 characters', 'content', PROSE.repeat(20).slice(0, 100_000), 20],
];

async function measuredRedaction(): Promise<Measurement[]> {
  const [ours, plain] = [new Matcher([secret(KEY)]), new PlainMatcher([secret(KEY)])];
  const all: Measurement[] = [];
  for (const [what, where, text, times] of TEXTS) {
    const works = { ours: repeated(() => ours[where](text)), plain: repeated(() => plain[where](text)) };
    all.push(await measured(`redaction of ${what}`, 'a search for each spelling', times, works));
  }
  return all;
}

function chunks(): Works {
  const chunk: ChatChunk = {
    id: 'gen-9f8e7d6c-5b4a-3928-1706-f5e4d3c2b1a0',
    object: 'chat.completion.chunk',
    created: 1_790_000_000,
    model: 'openai/gpt-4o-mini',
    provider: 'OpenAI',
    choices: [
      {
        index: 0,
        delta: { role: 'assistant', content: 'the quick brown fox ' },
        finish_reason: null,
        native_finish_reason: null,
        logprobs: null,
      },
    ],
  };
  const texts = new ChunkTexts();
  return {
    ours: repeated(() => texts.textOf(chunk)),
    plain: repeated(() => JsonText.of(chunk as unknown as JsonText['value'])),
  };
}

const PIECES = 2_000;
const PIECE = `data: {"id":"${ID}","choices":[{"index":0,"delta":{"content":"the quick brown "}}]}\n\n`;

/** Sends them one a turn to a client in a process of its own. */
async function sendPieces(writer: (raw: ServerResponse, onDrain: () => void) => WritePiece): Promise<number> {
  let taken = 0;
  const server = createServer(async (_, response) => {
    const write = writer(response, () => undefined);
    const before = process.cpuUsage();
    for (let piece = 0; piece < PIECES; piece += 1) {
      write(PIECE);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { user, system } = process.cpuUsage(before);
    taken = user + system;
    response.end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  const reader = `require('http').get('http://127.0.0.1:${port}/', (answer) => answer.resume())`;
  const client = spawn(process.execPath, ['-e', reader], { stdio: 'ignore' });
  await once(client, 'exit');
  server.close();
  return taken;
}

function keyIndexes(): Works {
  const [many, few] = [indexOf(10_000), indexOf(10)];
  const changed = (index: ReturnType<typeof indexOf>) =>
    repeated(() => index.changed(new Map([['00000', keyOf(0)]]), []));
  return { ours: changed(many), plain: changed(few) };
}

function indexOf(count: number) {
  return new KeyIndex(Array.from({ length: count }, (_, index) => keyOf(index)));
}

function keyOf(index: number) {
  const id = String(index).padStart(5, '0');
  const filters = { allowedApiKeyHashes: [`hash-${index}`], allowedUserIds: null };
  return { key: { id, provider: 'openai', disabled: false, ...filters } as unknown as ByokKey };
}
