import { demoModel } from '../../support/catalog.js';
import {
  type CompletionHost,
  FAKE_KEY,
  rootOf,
  startFakeCompletions,
} from '../../support/fakes/fake-completions.js';
import type { FakePlan } from '../../support/fakes/fake-openai/plan.js';
import type { TestGatewayOptions } from '../../support/gateway.js';
import { startMoneyGateway } from '../../support/money.js';
import { addKey, type Capacity, share } from '../../support/providers.js';
import type { Row } from '../../support/rest.js';

/** A model that the hosts complete texts with, and its name there. */
export const MODEL = 'test/coder';
export const UPSTREAM = 'coder-1';

export const PROMPT = 'def add(a, b):';

/** USD of a token. */
const PRICES = { prompt: '0.0000031', completion: '0.0000157' };

interface Options extends Omit<TestGatewayOptions, 'catalog'> {
  /** Each a provider with the name of its host, in this order. */
  readonly hosts?: readonly CompletionHost[];
  readonly plan?: FakePlan;
  readonly capacity?: Capacity | null;
  /** Of the endpoints; undefined = their defaults. */
  readonly formats?: readonly string[] | undefined;
  /** Members of the endpoints. */
  readonly endpoint?: object;
}

/** A model that has chats alone. */
export const CHATS = 'test/chats';

/** A gateway in front of hosts of text completions. */
export async function startCompletions({
  hosts = ['plain'],
  plan = {},
  capacity = 'shared capacity',
  endpoint = {},
  ...options
}: Options = {}) {
  const formats = 'formats' in options ? options.formats : ['completions'];
  const fakes = await Promise.all(hosts.map(startFakeCompletions));
  const slugs = hosts.map((host, index) => (hosts.indexOf(host) === index ? host : `${host}-${index}`));
  const gateway = await startMoneyGateway({
    ...options,
    env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1', ...options.env },
    providers: hosts.map((host, index) => ({
      slug: slugs[index] ?? host,
      name: host,
      adapter: 'openai',
      base_url: rootOf(host, new URL(fakes[index]?.baseUrl ?? '')),
    })),
    models: [
      demoModel(
        MODEL,
        slugs.map((provider) => ({
          provider,
          upstream_model_id: UPSTREAM,
          pricing: PRICES,
          max_completion_tokens: 4_096,
          ...(formats !== undefined && { formats }),
          ...endpoint,
        })),
        { context_length: 100_000 },
      ),
      demoModel(CHATS, [{ provider: 'a', upstream_model_id: 'echo', formats: ['chat'] }]),
    ],
  });
  for (const slug of slugs) {
    if (capacity === 'shared capacity') await share(gateway, slug, FAKE_KEY);
    if (capacity === 'BYOK keys') await addKey(gateway, slug, FAKE_KEY);
  }
  for (const fake of fakes) fake.plan(UPSTREAM, plan);
  const complete = (more: object = {}) =>
    gateway.use('POST', '/completions', { model: MODEL, prompt: PROMPT, ...more });
  return { gateway, fakes, complete };
}

/** The chunks of a stream, which has ended with `[DONE]`. */
export function chunksIn(text: string): Row[] {
  const data = text
    .split('\n\n')
    .filter((block) => block.startsWith('data: '))
    .map((block) => block.slice('data: '.length));
  const end = data.pop();
  if (end !== '[DONE]') throw new Error(`the stream did not end: ${end}`);
  return data.map((one): Row => JSON.parse(one));
}

/** All text of a streamed answer. */
export function textIn(chunks: readonly Row[]): string {
  return chunks.flatMap(({ choices }) => (choices as Row[]).map(({ text }) => String(text))).join('');
}

/** What these tokens cost, in USD. */
export function costOf(promptTokens: number, completionTokens: number): number {
  return Number(
    (promptTokens * Number(PRICES.prompt) + completionTokens * Number(PRICES.completion)).toFixed(9),
  );
}
