/** Gateways whose models have prices in modes and such as have none, and how each host tells the mode that served. */
import { afterAll, beforeAll, expect } from 'vitest';
import { launchPlatforms, PLATFORMS, type Platform, type PlatformsGateway } from '../../support/platforms.js';
import { receiptOf } from '../../support/receipts.js';
import { type Answer, type Row, recordOf } from '../../support/rest.js';

/** USD per token; a whole number of nano-USD also where it is multiplied by a tenth. */
const PRICES = { prompt: '0.000001', completion: '0.000002' };

const GEO = { inference_geo: 'us', multiplier: '1.1' };
const FAST = { speed: 'fast', multiplier: '6' };
const FLEX = { service_tier: 'flex', multiplier: '0.5' };
const PRIORITY = { service_tier: 'priority', multiplier: '2' };

/** By which the price of a mode is multiplied, in tenths. */
const TENTHS: Readonly<Record<string, number>> = {
  'inference_geo:us': 11,
  'service_tier:flex': 5,
  'service_tier:priority': 20,
  'speed:fast': 60,
};

/** Where another model than the usual one has modes. */
const LATE_CLAUDE: Readonly<Record<string, string>> = { 'vertex-claude': 'claude-fable-5-2' };

export interface ModesGateways {
  readonly shared: () => PlatformsGateway;
  readonly own: () => PlatformsGateway;
}

/** With models `priced` and `plain`, of which the latter has no prices in modes. */
export function withModes(): ModesGateways {
  let shared: PlatformsGateway;
  let own: PlatformsGateway;
  const models = ['priced', 'plain'].map((name) => ({
    name,
    upstreamId: ({ slug, family }: Platform) =>
      `${family.replace('claude-3-haiku', LATE_CLAUDE[slug] ?? 'claude-opus-4-8')}${slug}-${name}`,
    overrides: () => ({ pricing: PRICES, context_length: 1_000_000 }),
    endpoint: ({ adapter }: Platform) =>
      name === 'plain'
        ? {}
        : { price_modes: adapter === 'anthropic' ? [GEO, FAST] : [FLEX, PRIORITY, GEO, FAST] },
  }));
  beforeAll(async () => {
    shared = await launchPlatforms(models, 'shared');
    own = await launchPlatforms(models, 'byok');
  });
  afterAll(async () => {
    await shared.stop();
    await own.stop();
  });
  return { shared: () => shared, own: () => own };
}

export function platformOf(slug: string): Platform {
  const platform = PLATFORMS.find((one) => one.slug === slug);
  if (platform === undefined) throw new Error(`no platform ${slug}`);
  return platform;
}

export type Path = '/chat/completions' | '/messages' | '/responses';

/** A request of the API, for an answer of so many tokens. */
export function bodyFor(path: Path, model: string, maxTokens: number): object {
  if (path === '/responses') return { model, max_output_tokens: maxTokens, input: 'Hello there' };
  return { model, max_tokens: maxTokens, messages: [{ role: 'user', content: 'Hello there' }] };
}

/** How explain is told of the API. */
export function formatOf(path: Path): object {
  return path === '/chat/completions' ? {} : { format: path.slice(1) };
}

/** How a host of one kind is asked for a mode and tells the one that served. */
export interface ModeCase {
  readonly slug: string;
  readonly path: Path;
  /** What a client sends. */
  readonly asks: object;
  /** What reaches the host: members of its body, and headers. */
  readonly sent: object;
  readonly sentHeaders?: object;
  /** The plan of a fake that says so. */
  readonly tells: object;
  /** The plan of a fake that says nothing. */
  readonly silent: object;
  /** The plan of a fake that says the base. */
  readonly denies: object;
  readonly mode: string;
  /** Members of the record where the answer tells. */
  readonly told: object;
}

const TIER = 'x-amzn-bedrock-service-tier';

const CHAT_TIERS = { silent: { members: { service_tier: undefined } }, denies: {} } as const;
const NOTHING_TOLD = { usage: { service_tier: null, speed: null, inference_geo: null } };

function compatible(slug: string, tier: string): ModeCase {
  return {
    slug,
    path: '/chat/completions',
    asks: { service_tier: tier },
    sent: { service_tier: tier },
    tells: { members: { service_tier: tier } },
    ...CHAT_TIERS,
    mode: `service_tier:${tier}`,
    told: { service_tier: tier },
  };
}

function claude(slug: string, path: Path, kind: 'speed' | 'inference_geo', word: string): ModeCase {
  return {
    slug,
    path,
    asks: { [kind]: word },
    sent: { [kind]: word },
    tells: { usage: { [kind]: word } },
    silent: NOTHING_TOLD,
    denies: {},
    mode: `${kind}:${word}`,
    told: { [kind]: word },
  };
}

function converse(slug: string, tier: string): ModeCase {
  return {
    slug,
    path: '/chat/completions',
    asks: { service_tier: tier },
    sent: { serviceTier: { type: tier } },
    tells: { members: { serviceTier: { type: tier } } },
    silent: {},
    denies: { members: { serviceTier: { type: 'default' } } },
    mode: `service_tier:${tier}`,
    told: { service_tier: tier },
  };
}

function invoke(slug: string, tier: string): ModeCase {
  return {
    slug,
    path: '/messages',
    asks: { service_tier: tier },
    sent: {},
    sentHeaders: { [TIER]: tier },
    tells: { headers: { [TIER]: tier } },
    silent: NOTHING_TOLD,
    denies: { headers: { [TIER]: 'default' } },
    mode: `service_tier:${tier}`,
    told: { service_tier: tier },
  };
}

function gemini(tier: string, trafficType: string): ModeCase {
  return {
    slug: 'vertex-gemini',
    path: '/chat/completions',
    asks: { service_tier: tier },
    sent: {},
    sentHeaders: { 'x-vertex-ai-llm-shared-request-type': tier },
    tells: { usage: { trafficType } },
    silent: { usage: { trafficType: undefined } },
    denies: {},
    mode: `service_tier:${tier}`,
    told: { service_tier: tier },
  };
}

export const MODE_CASES: readonly ModeCase[] = [
  compatible('openai', 'flex'),
  compatible('openai', 'priority'),
  { ...compatible('openai', 'priority'), path: '/messages', asks: { speed: 'fast' } },
  { ...compatible('openai', 'flex'), path: '/messages' },
  { ...compatible('openai', 'priority'), asks: { speed: 'fast' } },
  { ...compatible('openai', 'flex'), path: '/responses' },
  { ...compatible('openai', 'priority'), path: '/responses' },
  compatible('azure-catalog', 'priority'),
  { ...compatible('azure-catalog', 'priority'), path: '/responses' },
  { ...compatible('azure-deployment', 'flex'), path: '/responses' },
  { ...converse('bedrock-key', 'flex'), path: '/responses' },
  { ...gemini('priority', 'ON_DEMAND_PRIORITY'), path: '/responses' },
  compatible('azure-deployment', 'priority'),
  claude('anthropic', '/messages', 'speed', 'fast'),
  claude('anthropic', '/messages', 'inference_geo', 'us'),
  claude('anthropic', '/chat/completions', 'speed', 'fast'),
  claude('anthropic', '/chat/completions', 'inference_geo', 'us'),
  claude('vertex-claude', '/messages', 'speed', 'fast'),
  claude('vertex-claude', '/chat/completions', 'speed', 'fast'),
  converse('bedrock-key', 'flex'),
  converse('bedrock-signed', 'priority'),
  { ...converse('bedrock-key', 'priority'), asks: { serviceTier: { type: 'priority' } } },
  { ...converse('bedrock-key', 'priority'), asks: { speed: 'fast' } },
  invoke('bedrock-key', 'flex'),
  invoke('bedrock-signed', 'priority'),
  gemini('flex', 'ON_DEMAND_FLEX'),
  gemini('priority', 'ON_DEMAND_PRIORITY'),
  { ...gemini('priority', 'ON_DEMAND_PRIORITY'), path: '/messages', asks: { speed: 'fast' } },
];

const PATHS = ['/messages', '/chat/completions'] as const;

/** Modes in which hosts may answer, and for which they can't be asked. */
export const TOLD_CASES: readonly ModeCase[] = PATHS.flatMap((path) => [
  claude('foundry-claude', path, 'inference_geo', 'us'),
  claude('foundry-claude', path, 'speed', 'fast'),
  claude('vertex-claude', path, 'inference_geo', 'us'),
]);

export const WAYS = ['in one piece', 'streamed', 'cut'] as const;
export type Way = (typeof WAYS)[number];

/** Where a stream of the host is cut so that its beginning has arrived: Responses begin with the whole request. */
function cutIn(path: Path) {
  return { cutAfterBytes: path === '/responses' ? 4_500 : 1_500 };
}

export interface Served {
  readonly answer: Answer;
  readonly sent: Row;
  readonly headers: Row;
  readonly record: Row;
}

/** Asks for the model, and reads the record. */
export async function serve(
  gateway: PlatformsGateway,
  { slug, path }: Pick<ModeCase, 'slug' | 'path'>,
  { model, asks, plan, way }: { model: 'priced' | 'plain'; asks: object; plan: object; way: Way },
): Promise<Served> {
  const platform = platformOf(slug);
  gateway.plan(platform, model, way === 'cut' ? { ...plan, ...LONG, ...cutIn(path) } : plan);
  const { requests } = gateway.fakes[platform.fake];
  const before = requests.length;
  const answer = await gateway.use('POST', path, {
    ...bodyFor(path, `${slug}/${model}`, 4000),
    stream: way !== 'in one piece',
    ...asks,
  });
  expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
  const request = requests.slice(before).at(-1);
  const record = recordOf(await gateway.use('GET', `/generation?id=${answer.headers['x-generation-id']}`));
  if (way === 'cut') expect(record.finish_reason).toBe('error');
  const receipt = await receiptOf(gateway.use, record.id);
  expect(receipt.price_mode).toBe(record.price_mode);
  expect(Number(receipt.list_price_usd)).toBe(record.upstream_inference_cost ?? record.usage);
  return { answer, sent: (request?.body ?? {}) as Row, headers: (request?.headers ?? {}) as Row, record };
}

/** An answer of which a part is left when it is cut. */
const LONG = { words: Array.from({ length: 200 }, (_, index) => ` word${index}`) };

/** The list price of what the record says in nano-USD, in this mode. */
export function priceOf({ tokens_prompt, tokens_completion }: Row, mode: string | null): number {
  const tenths =
    mode === null ? 10 : mode.split('+').reduce((all, one) => (all * (TENTHS[one] ?? 10)) / 10, 10);
  return ((Number(tokens_prompt) * 1_000 + Number(tokens_completion) * 2_000) * tenths) / 10;
}

/** What was charged in nano-USD: over a key of the account the list price that is recorded. */
export function chargedFor({ usage, upstream_inference_cost }: Row): number {
  return Math.round(Number(upstream_inference_cost ?? usage) * 1e9);
}
