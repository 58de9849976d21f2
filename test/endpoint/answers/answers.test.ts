import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chatSpelling } from './chat-host.js';
import { aiSdkClient, anthropicClient, type Heard, openAiClient } from './clients.js';
import { type Choose, finishOf, MEANT, type Meant, stopOf } from './meant.js';
import { converseSpelling, geminiSpelling, messagesSpelling } from './other-hosts.js';
import { HOSTS, type Host, launchSpellingHost } from './spelling-host.js';

/** Answers of all kinds of hosts together. `ANSWERS_RUNS=100000` tries more, `ANSWERS_SEED` the same again. */
const RUNS = Number(process.env.ANSWERS_RUNS ?? 300);
const SEED = Number(process.env.ANSWERS_SEED ?? Date.now() % 2 ** 31);

const SPELLINGS = {
  chat: chatSpelling,
  messages: messagesSpelling,
  gemini: geminiSpelling,
  converse: converseSpelling,
};

/** Who asks; the AI SDK wants each answer to be of some kind, so it is given fewer. */
const CLIENTS = ['openai', 'anthropic', 'ai sdk'] as const;

let host: Awaited<ReturnType<typeof launchSpellingHost>>;

beforeAll(async () => {
  host = await launchSpellingHost();
});
afterAll(() => host.stop());

/** Calls of the clients that have been heard, over all answers. */
const known = new Set<string>();

function meantFor(meant: Meant, kind: Host): Meant {
  const hasRefusals = kind === 'chat' || kind === 'messages';
  return hasRefusals ? meant : { ...meant, refusal: '' };
}

const AI_FINISH: Readonly<Record<string, string>> = {
  tool_use: 'tool-calls',
  end_turn: 'stop',
  max_tokens: 'length',
  refusal: 'content-filter',
};

async function check(
  kind: Host,
  meant: Meant,
  choices: readonly number[],
  client: (typeof CLIENTS)[number],
  isStreamed: boolean,
) {
  let at = 0;
  const choose: Choose = (count) => (choices[at++ % choices.length] ?? 0) % count;
  const spelled = SPELLINGS[kind](meant, choose, isStreamed);
  const size = choose(4) === 0 ? Number.POSITIVE_INFINITY : 1 + choose(40);
  host.answer(spelled, (left) => Math.min(left, size));
  const heard = await ask(client, `${kind}/m`, isStreamed);
  const isChat = client === 'openai';
  const told = `${kind} ${client} ${spelled.how}\n${spelled.bytes.toString('utf8').slice(0, 4_000)}`;
  const refusal = isChat ? meant.refusal : '';
  expect({ ...heard, calls: heard.calls.map(({ name, args }) => ({ name, args })) }, told).toEqual({
    content: isChat ? meant.content : meant.content + meant.refusal,
    reasoning: meant.reasoning,
    refusal,
    calls: meant.calls,
    finish: isChat ? finishOf(meant) : client === 'ai sdk' ? AI_FINISH[stopOf(meant)] : stopOf(meant),
    prompt: client === 'ai sdk' ? -1 : meant.prompt,
    cached: client === 'ai sdk' ? -1 : meant.cached,
  });
  const ids = heard.calls.map(({ id }) => id);
  expect([new Set(ids).size, ids.includes('')], told).toEqual([ids.length, false]);
  if (spelled.ids !== undefined) return expect(ids, told).toEqual(spelled.ids);
  for (const id of ids) {
    if (!id.startsWith('call_') || id.length < 16 || /^call_\d+_\d$/.test(id)) continue;
    expect(known.has(id), told).toBe(false);
    known.add(id);
  }
}

async function ask(client: (typeof CLIENTS)[number], model: string, isStreamed: boolean): Promise<Heard> {
  if (client === 'openai') return openAiClient(host)(model, isStreamed);
  if (client === 'anthropic') return anthropicClient(host)(model, isStreamed);
  return aiSdkClient(host)(model);
}

/** Kept few, so that a failure that comes everywhere ends the run soon. */
const MAX_FAILURES = 5;

const ANSWER = fc.tuple(
  fc.constantFrom(...HOSTS, 'chat' as const, 'chat' as const),
  MEANT,
  fc.array(fc.nat(1_000_000), { minLength: 40, maxLength: 200 }),
  fc.constantFrom(...CLIENTS, 'openai' as const),
  fc.boolean(),
);

/** As many as are made at once. */
const BATCH = 1_000;

function* answers() {
  for (let made = 0; made < RUNS; made += BATCH) {
    yield* fc.sample(ANSWER, { numRuns: Math.min(BATCH, RUNS - made), seed: SEED + made });
  }
}

function describeFailure(thrown: unknown): string {
  const { message, actual, expected } = thrown as Error & {
    readonly actual?: unknown;
    readonly expected?: unknown;
  };
  return `got ${JSON.stringify(actual)}\nmeant ${JSON.stringify(expected)}\n${message}`;
}

describe('an answer', () => {
  it(`is the same message for clients of either API, however its host spells it (${RUNS}, ANSWERS_SEED=${SEED})`, {
    timeout: 60_000 + RUNS * 100,
  }, async () => {
    const failures: string[] = [];
    for (const [kind, meant, choices, client, isStreamed] of answers()) {
      // Messages pass as they came, ids and halves of characters too.
      const asked = kind === 'messages' ? 'openai' : client;
      const one = check(kind, meantFor(meant, kind), choices, asked, asked === 'ai sdk' || isStreamed);
      await one.catch((thrown: unknown) => failures.push(describeFailure(thrown)));
      if (failures.length >= MAX_FAILURES) break;
    }
    expect(failures).toEqual([]);
  });
});
