/** What a growing conversation reserves, beside what it costs with nothing read from a cache or written to one. */
import type { Pricing } from '../../../src/catalog/types.js';
import { listPrice } from '../../../src/ledger/pricing/price.js';
import { KnownPrompts, measurePrompt } from '../../../src/routing/estimate/known-prompts.js';
import { maxCostOf } from '../../../src/routing/estimate/max-usage.js';
import { requestSize } from '../../../src/routing/estimate/request-size.js';
import type { Attempt } from '../../../src/routing/types.js';
import { NO_TOKENS } from '../../ledger/no-tokens.js';
import { demoEndpoint } from '../../support/chat.js';
import { imageUrl } from '../../support/images.js';
import { median } from '../compare.js';

const TURNS = 40;
const SYSTEM_CHARACTERS = 180_000;
const RESULT_CHARACTERS = 2_000;
const MAX_TOKENS = 8_000;
const TOOLS = 40;

/** What tokenizers of such models make of code and prose, on average. */
const CHARACTERS_A_TOKEN = 3.7;

/** Pixels of an image at either side. */
const IMAGE_SIDE = 1_092;

/** USD per token. */
const CLAUDE = { prompt: '0.000003', completion: '0.000015', input_cache_write: '0.00000375' };
const GPT = { prompt: '0.00000125', completion: '0.00001', input_cache_read: '0.000000125' };

interface Case {
  readonly title: string;
  /** In the catalogue. */
  readonly model: string;
  /** What its host documents for such an image. */
  readonly imageTokens: number;
  readonly prices: Pricing['prices'];
  readonly hasMarks: boolean;
}

const SONNET = 'anthropic/claude-sonnet-4.5';

const CASES: readonly Case[] = [
  { title: 'gpt-5', model: 'openai/gpt-5', imageTokens: 630, prices: GPT, hasMarks: false },
  { title: 'claude-sonnet-4.5', model: SONNET, imageTokens: 1_590, prices: CLAUDE, hasMarks: false },
  {
    title: 'the same with marks of caches',
    model: SONNET,
    imageTokens: 1_590,
    prices: CLAUDE,
    hasMarks: true,
  },
];

type Message = Readonly<Record<string, unknown>>;

export async function measureReservations(): Promise<string> {
  const rows: string[] = [];
  for (const one of CASES) rows.push(await row(one));
  return [
    'Reserved without `max_tokens`, by the cost of the prompt with no cache:',
    '',
    '| Model | first turn | turns 2 to 40, median | the most | processor time a turn |',
    '|---|--:|--:|--:|--:|',
    ...rows,
    '',
  ].join('\n');
}

async function row({ title, model, imageTokens, prices, hasMarks }: Case): Promise<string> {
  const known = new KnownPrompts();
  const pricing = { prices, discount: null, overrides: [] };
  const names = { modelId: model, upstreamModelId: model };
  const endpoint = { ...demoEndpoint('m'), ...names, pricing, contextLength: 1_000_000 };
  const attempt = {
    endpoint,
    provider: { slug: 'host' },
    modelReasoning: null,
    key: null,
  } as unknown as Attempt;
  const priceOf = (promptTokens: number, completionTokens: number) =>
    Number(listPrice(pricing, { ...NO_TOKENS, promptTokens, completionTokens }, 0).totalNanoUsd);
  const messages: Message[] = [{ role: 'system', content: textOf(0, SYSTEM_CHARACTERS) }];
  const ratios: number[] = [];
  let micros = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn < TURNS; turn += 1) {
    messages.push(...asked(turn));
    const body = {
      model,
      messages: hasMarks ? marked(messages) : messages,
      tools: TOOL_LIST,
      max_tokens: MAX_TOKENS,
    };
    const size = requestSize(body);
    const before = process.cpuUsage();
    const said = await measurePrompt('account', size, { format: 'chat', body }, true);
    const reserved = Number(maxCostOf(known.sizeFor(attempt, said), attempt, 0));
    const { user, system } = process.cpuUsage(before);
    micros = Math.min(micros, user + system);
    const counted = tokensOf(body, imageTokens);
    ratios.push((reserved - priceOf(0, MAX_TOKENS)) / priceOf(counted, 0));
    known.learn(attempt, said, counted);
    messages.push({ role: 'assistant', content: textOf(turn, 400) });
  }
  const [first = Number.NaN, ...later] = ratios;
  const cells = [first, median(later), Math.max(...later)].map((ratio) => ratio.toFixed(2));
  return `| ${title} | ${cells.join(' | ')} | ${micros} us |`;
}

function asked(turn: number): Message[] {
  if (turn % 10 !== 5) return [{ role: 'user', content: textOf(turn, RESULT_CHARACTERS) }];
  const url = imageUrl('png', IMAGE_SIDE, IMAGE_SIDE, 160_000 + turn);
  return [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }];
}

/** Agents mark the end of what they have said. */
function marked(messages: readonly Message[]): Message[] {
  const mark = { cache_control: { type: 'ephemeral' } };
  return messages.map((message, at) => (at === messages.length - 1 ? { ...message, ...mark } : message));
}

const TOOL_LIST = Array.from({ length: TOOLS }, (_, at) => ({
  type: 'function',
  function: { name: `tool_${at}`, description: textOf(at, 200), parameters: { type: 'object' } },
}));

function textOf(seed: number, characters: number): string {
  return `${seed} const value = read(path) ?? fallback; `.repeat(characters).slice(0, characters);
}

function tokensOf(
  body: { readonly messages: readonly Message[]; readonly tools: object },
  imageTokens: number,
) {
  const images = body.messages.filter(({ content }) => Array.isArray(content)).length;
  const texts = body.messages.map(({ content }) => (typeof content === 'string' ? content : ''));
  const characters = texts.join('').length + JSON.stringify(body.tools).length;
  return Math.ceil(characters / CHARACTERS_A_TOKEN) + images * imageTokens;
}
