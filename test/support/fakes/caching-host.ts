/**
 * A host of OpenAI's format that caches prompts, and counts what it finds: each account of it has several machines with a cache of
 * their own, and limits the requests of a round.
 *
 * Sources, looked up on 2026-11-26: caches are of an organization, and of a machine, which `prompt_cache_key` chooses
 * (https://developers.openai.com/api/docs/guides/prompt-caching); without a hint requests are balanced
 * (https://docs.x.ai/developers/advanced-api-usage/prompt-caching/maximizing-cache-hits).
 */
import { createHash } from 'node:crypto';
import { type AtEnd, startFakeServer } from './fake-server.js';

interface CachingHostOptions {
  /** Machines of each key's account. */
  readonly machines: number;
  /** Requests of a key in a round; more are 429. */
  readonly perRound: number;
}

/** What one key was asked. */
export interface KeyCounts {
  readonly answered: number;
  readonly limited: number;
  /** Answered in a conversation that had turns before. */
  readonly later: number;
  /** Those among them that found everything that was asked before. */
  readonly hits: number;
  /** Messages behind the system's, and those that were cached. */
  readonly messages: number;
  readonly cached: number;
}

export interface CachingHost {
  readonly baseUrl: string;
  readonly counts: ReadonlyMap<string, KeyCounts>;
  /** Begins a round: limits start anew. */
  nextRound(): void;
}

/** How many rounds a beginning stays without being read: five minutes, where a round is one. */
const ROUNDS = 5;

interface Account {
  /** By machine: beginnings, and the round in which each was read last. */
  readonly caches: readonly Map<string, number>[];
  answered: number;
  limited: number;
  later: number;
  hits: number;
  messages: number;
  cached: number;
  inRound: number;
  /** The machine that is next without a hint. */
  turn: number;
}

interface Body {
  readonly model?: string;
  readonly messages?: readonly unknown[];
  readonly prompt_cache_key?: string;
}

export async function startCachingHost(options: CachingHostOptions, atEnd?: AtEnd): Promise<CachingHost> {
  const accounts = new Map<string, Account>();
  let round = 0;
  const { origin } = await startFakeServer(async ({ request, response, text }) => {
    const account = accountOf(accounts, String(request.headers.authorization), options);
    const json = (status: number, body: object, headers: object = {}) => {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify(body));
    };
    account.inRound += 1;
    if (account.inRound > options.perRound) {
      account.limited += 1;
      const error = { message: 'Rate limit reached', type: 'requests', code: 'rate_limit_exceeded' };
      return json(429, { error }, { 'retry-after': '30' });
    }
    const { model = '', messages = [], prompt_cache_key } = JSON.parse(text) as Body;
    const cache = account.caches[machineOf(account, prompt_cache_key)] ?? new Map();
    const cached = readAndWrite(cache, prefixesOf(messages), round);
    const said = messages.length - 1;
    account.answered += 1;
    account.messages += said;
    account.cached += cached;
    // The turn before had neither its answer nor this question.
    if (said > 2) account.later += 1;
    if (said > 2 && cached >= said - 2) account.hits += 1;
    return json(200, answer(model, messages.length, cached));
  }, atEnd);
  return {
    baseUrl: `${origin}/v1`,
    counts: accounts,
    nextRound() {
      round += 1;
      for (const account of accounts.values()) account.inRound = 0;
    },
  };
}

function accountOf(accounts: Map<string, Account>, key: string, { machines }: CachingHostOptions): Account {
  const known = accounts.get(key);
  if (known !== undefined) return known;
  const caches = Array.from({ length: machines }, () => new Map<string, number>());
  const counts = { answered: 0, limited: 0, later: 0, hits: 0, messages: 0, cached: 0 };
  const account = { caches, ...counts, inRound: 0, turn: 0 };
  accounts.set(key, account);
  return account;
}

function machineOf(account: Account, hint: string | undefined): number {
  const { length } = account.caches;
  if (hint !== undefined) return createHash('sha256').update(hint).digest().readUInt32BE(0) % length;
  account.turn = (account.turn + 1) % length;
  return account.turn;
}

/** How many messages of the prompt were cached; all of them are from now on. */
function readAndWrite(cache: Map<string, number>, prefixes: readonly string[], round: number): number {
  const isWarm = (prefix: string) => round - (cache.get(prefix) ?? Number.NEGATIVE_INFINITY) <= ROUNDS;
  const cached = prefixes.findLastIndex(isWarm) + 1;
  for (const prefix of prefixes) cache.set(prefix, round);
  return cached;
}

/** Of each beginning of the conversation beyond its system message, which all sessions share. */
function prefixesOf(messages: readonly unknown[]): string[] {
  const hash = createHash('sha256');
  const [first, ...others] = messages;
  hash.update(JSON.stringify(first));
  return others.map((message) => {
    hash.update(JSON.stringify(message));
    return hash.copy().digest('base64url');
  });
}

/** Of a message: no more than its text can have. */
const TOKENS = 2;

function answer(model: string, prompt: number, cached: number): object {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model,
    choices: [{ index: 0, message: { role: 'assistant', content: 'Done.' }, finish_reason: 'stop' }],
    usage: {
      prompt_tokens: TOKENS * prompt,
      completion_tokens: 2,
      total_tokens: TOKENS * prompt + 2,
      prompt_tokens_details: { cached_tokens: TOKENS * cached },
    },
  };
}
