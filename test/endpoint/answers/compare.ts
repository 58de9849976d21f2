/** One answer, spelled as some host spells it, as a client of the gateway has it. */
import fc from 'fast-check';
import { expect } from 'vitest';
import { chatSpelling } from './chat-host.js';
import type { Client } from './clients.js';
import { type Choose, MEANT, type Meant } from './meant.js';
import { converseSpelling, geminiSpelling, messagesSpelling } from './other-hosts.js';
import { HOSTS, type Host, type launchSpellingHost } from './spelling-host.js';

const SPELLINGS = {
  chat: chatSpelling,
  messages: messagesSpelling,
  gemini: geminiSpelling,
  converse: converseSpelling,
};

interface Sample {
  readonly kind: Host;
  readonly meant: Meant;
  readonly choices: readonly number[];
  /** Chooses among clients. */
  readonly client: number;
  readonly isStreamed: boolean;
}

const SAMPLE: fc.Arbitrary<Sample> = fc.record({
  kind: fc.constantFrom(...HOSTS, 'chat' as const, 'chat' as const),
  meant: MEANT,
  choices: fc.array(fc.nat(1_000_000), { minLength: 40, maxLength: 200 }),
  client: fc.nat(1_000_000),
  isStreamed: fc.boolean(),
});

/** As many as are made at once. */
const BATCH = 1_000;

function* samples(runs: number, seed: number): Generator<Sample> {
  for (let made = 0; made < runs; made += BATCH) {
    yield* fc.sample(SAMPLE, { numRuns: Math.min(BATCH, runs - made), seed: seed + made });
  }
}

type SpellingHost = Awaited<ReturnType<typeof launchSpellingHost>>;

/** Kept few, so that a failure that comes everywhere ends the run soon. */
const MAX_FAILURES = 5;

/** What went wrong of so many answers; each is asked for by one of the clients. */
export async function failures(
  host: SpellingHost,
  clients: readonly Client[],
  runs: number,
  seed: number,
): Promise<string[]> {
  const found: string[] = [];
  /** Ids that the gateway gave, over all answers. */
  const known = new Set<string>();
  for (const sample of samples(runs, seed)) {
    // Messages pass as they came, ids and halves of characters too.
    const able = sample.kind === 'messages' ? clients.filter(({ isNative }) => !isNative) : clients;
    const client = able[sample.client % able.length];
    if (client === undefined) continue;
    await check(host, client, sample, known).catch((thrown: unknown) => found.push(described(thrown)));
    if (found.length >= MAX_FAILURES) break;
  }
  return found;
}

async function check(
  host: SpellingHost,
  client: Client,
  { kind, meant: all, choices, ...sample }: Sample,
  known: Set<string>,
): Promise<void> {
  const isStreamed = client.isAlwaysStreamed === true || sample.isStreamed;
  const hasRefusals = kind === 'chat' || kind === 'messages';
  const meant = hasRefusals ? all : { ...all, refusal: '' };
  let at = 0;
  const choose: Choose = (count) => (choices[at++ % choices.length] ?? 0) % count;
  const spelled = SPELLINGS[kind](meant, choose, isStreamed);
  const size = choose(4) === 0 ? Number.POSITIVE_INFINITY : 1 + choose(40);
  host.answer(spelled, (left) => Math.min(left, size));
  const heard = await client.ask(`${kind}/m`, isStreamed);
  const told = `${kind} ${client.name} ${spelled.how}\n${spelled.bytes.toString('utf8').slice(0, 4_000)}`;
  const calls = heard.calls.map(({ name, args }) => ({ name, args }));
  expect({ ...heard, calls }, told).toEqual(client.expects(meant, isStreamed));
  const ids = heard.calls.map(({ id }) => id);
  expect([new Set(ids).size, ids.includes('')], told).toEqual([ids.length, false]);
  if (spelled.ids !== undefined) return expect(ids, told).toEqual(spelled.ids);
  for (const id of ids) {
    if (!id.startsWith('call_') || id.length < 16 || /^call_\d+_\d$/.test(id)) continue;
    expect(known.has(id), told).toBe(false);
    known.add(id);
  }
}

function described(thrown: unknown): string {
  const { message, actual, expected } = thrown as Error & {
    readonly actual?: unknown;
    readonly expected?: unknown;
  };
  return `got ${JSON.stringify(actual)}\nmeant ${JSON.stringify(expected)}\n${message}`;
}
