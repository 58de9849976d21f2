import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KnownPrompts, measurePrompt } from '../../src/routing/estimate/known-prompts.js';
import { maxUsageOf } from '../../src/routing/estimate/max-usage.js';
import { requestSize } from '../../src/routing/estimate/request-size.js';
import type { Attempt } from '../../src/routing/types.js';
import { demoEndpoint } from '../support/chat.js';

interface Message {
  readonly role: string;
  readonly content: unknown;
  readonly reasoning_content?: string;
}

interface Call {
  readonly messages: readonly Message[];
  readonly tools: readonly object[];
  readonly enable_thinking?: boolean;
  readonly truncate_prompt_tokens?: number;
}

type Headers = Readonly<Record<string, readonly string[]>>;

const bytes = Buffer.byteLength;
const FRAMING = 4;
const IMAGE_TOKENS = 16_384;

/** How hosts write a text before they count its bytes. */
const WRITINGS: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'in NFKC': (text) => text.normalize('NFKC'),
  'in JSON': (text) => JSON.stringify(text),
};

/** A host to which each byte is a token. It drops thoughts, cuts, and heeds betas as it is told to. */
function countedBy(write: (text: string) => string, call: Call, headers: Headers): number {
  const ofText = (text: string) => bytes(write(text));
  const ofPart = (part: { type: string; text?: string }) =>
    part.type === 'text' ? ofText(part.text ?? '') : IMAGE_TOKENS;
  const ofMessage = ({ content, reasoning_content = '' }: Message) => {
    const own = typeof content === 'string' ? ofText(content) : 0;
    const parts = Array.isArray(content) ? content.map(ofPart).reduce((sum, one) => sum + one, 0) : 0;
    const keepsThoughts = call.enable_thinking !== false && headers['anthropic-beta'] === undefined;
    return FRAMING + own + parts + (keepsThoughts ? ofText(reasoning_content) : 0);
  };
  const tools = call.tools.length === 0 ? 0 : bytes(JSON.stringify(call.tools));
  const all = tools + call.messages.map(ofMessage).reduce((sum, one) => sum + one, 0);
  return Math.min(all, call.truncate_prompt_tokens ?? all);
}

const LONG = 6_000;
const repeated = (piece: string) => piece.repeat(Math.ceil(LONG / piece.length)).slice(0, LONG);
const odd = fc
  .constantFrom(
    'word ',
    'ﷺ',
    '㌖',
    '½',
    '\u0001',
    '"\\',
    '👋🏽',
    '\ud800',
    '𝅘𝅥𝅲',
    '🈁',
    'QUJD/+==',
    '안녕',
    '\u0000',
    ' \n',
  )
  .map(repeated);
const text = fc.oneof(odd, odd, fc.string({ unit: 'binary', maxLength: 400 }));
const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
const content = fc.oneof(
  text,
  fc.array(
    fc.oneof(
      text.map((value) => ({ type: 'text', text: value })),
      fc.constant(image),
    ),
    { minLength: 1, maxLength: 4 },
  ),
);
const message: fc.Arbitrary<Message> = fc.record(
  { role: fc.constantFrom('system', 'user', 'assistant', 'tool'), content, reasoning_content: odd },
  { requiredKeys: ['role', 'content'] },
);
const tools = fc.array(
  text.map((description) => ({ type: 'function', function: { name: 'f', description, parameters: {} } })),
  { maxLength: 3 },
);

/** What a client does from one request to the next. */
const step = fc.oneof(
  fc.record({ kind: fc.constant('append' as const), message }),
  fc.record({ kind: fc.constant('append' as const), message }),
  fc.record({ kind: fc.constant('edit' as const), at: fc.nat(), message }),
  fc.record({ kind: fc.constant('cut' as const), keep: fc.nat() }),
  fc.record({ kind: fc.constant('tools' as const), tools }),
  fc.record({ kind: fc.constant('think' as const), enable_thinking: fc.boolean() }),
  fc.record({ kind: fc.constant('truncate' as const), to: fc.constantFrom(1, 5_000, undefined) }),
  fc.record({ kind: fc.constant('beta' as const), isOn: fc.boolean() }),
  fc.record({
    kind: fc.constant('move' as const),
    account: fc.constantFrom('a', 'b'),
    model: fc.constantFrom('m', 'n'),
    key: fc.constantFrom(undefined, 'own'),
  }),
);
type Step = typeof step extends fc.Arbitrary<infer One> ? One : never;

/** A client of some account, with the history of its conversation. */
class Client {
  call: Call = { messages: [{ role: 'user', content: repeated('word ') }], tools: [] };
  headers: Headers = {};
  account = 'a';
  attempt = attemptAt('m', undefined);

  take(next: Step): void {
    const { messages } = this.call;
    switch (next.kind) {
      case 'append':
        this.call = { ...this.call, messages: [...messages, next.message] };
        break;
      case 'edit':
        this.call = {
          ...this.call,
          messages: messages.map((one, at) => (at === next.at % messages.length ? next.message : one)),
        };
        break;
      case 'cut':
        this.call = { ...this.call, messages: messages.slice(0, 1 + (next.keep % messages.length)) };
        break;
      case 'tools':
        this.call = { ...this.call, tools: next.tools };
        break;
      case 'think':
        this.call = { ...this.call, enable_thinking: next.enable_thinking };
        break;
      case 'truncate': {
        const { truncate_prompt_tokens: _, ...call } = this.call;
        this.call = next.to === undefined ? call : { ...call, truncate_prompt_tokens: next.to };
        break;
      }
      case 'beta':
        this.headers = next.isOn ? { 'anthropic-beta': ['clear-thinking'] } : {};
        break;
      case 'move':
        this.account = next.account;
        this.attempt = attemptAt(next.model, next.key);
    }
  }
}

function attemptAt(model: string, key: string | undefined): Attempt {
  const endpoint = { ...demoEndpoint(model), contextLength: 10_000_000 };
  return { endpoint, key: key === undefined ? null : { id: key } } as unknown as Attempt;
}

const RUNS = 150;

describe.each(Object.entries(WRITINGS))('a prompt that a host counts byte by byte, %s', (_, write) => {
  it('is never counted as more than is reserved for it, whatever was known of its conversation', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const known = new KnownPrompts();
        const client = new Client();
        for (const next of steps) {
          client.take(next);
          const { call, headers, account, attempt } = client;
          const size = requestSize({ model: 'm', ...call });
          const sent = { format: 'chat' as const, body: { model: 'm', ...call }, headers };
          const measured = await measurePrompt(account, size, sent, true);
          const reserved = maxUsageOf(known.sizeFor(attempt, measured), attempt as never, 0).promptTokens;
          const counted = countedBy(write, call, headers);
          expect(counted).toBeLessThanOrEqual(reserved);
          known.learn(attempt, measured, counted);
        }
      }),
      { numRuns: RUNS },
    );
  });
});
