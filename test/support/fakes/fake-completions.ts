/**
 * Local hosts of text completions, each with its own path, answers and refusals:
 *
 * - `plain`: takes all that OpenAI's API has: https://platform.openai.com/docs/api-reference/completions (looked up on 2026-11-26)
 * - `vllm`: `suffix` is refused (https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html, 2026-11-26)
 * - `deepseek`: below `/beta`, at most 4,096 tokens (https://api-docs.deepseek.com/guides/fim_completion, 2026-11-26). Its API
 *   names a text alone; the words of its refusals are assumed from those of chats.
 * - `mistral`: below `/fim`, with the answers of chats, and a closed list of members (https://docs.mistral.ai/api/endpoint/fim,
 *   2026-11-26)
 */
import type { IncomingMessage } from 'node:http';
import { type FakeError, parse } from './fake-openai/errors.js';
import type { ChatCall, FakePlan } from './fake-openai/plan.js';
import { type FakeProvider, startFakeProvider } from './fake-openai/server.js';

/** The key that the fakes take. */
export const FAKE_KEY = 'sk-fake-completions-0123456789';

interface Host {
  readonly path: string;
  /** Members that it takes; null = any. */
  readonly members: readonly string[] | null;
  /** Why it refuses a request that another host may take. */
  refuses?(call: ChatCall): string | undefined;
  readonly hasMessages?: boolean;
}

const SAMPLING = ['model', 'prompt', 'suffix', 'temperature', 'top_p', 'max_tokens', 'stream', 'stop'];

const HOSTS = {
  plain: { path: '/v1/completions', members: null },
  vllm: {
    path: '/v1/completions',
    members: null,
    refuses: ({ suffix }) => (suffix === undefined ? undefined : 'suffix is not currently supported'),
  },
  deepseek: {
    path: '/beta/completions',
    members: null,
    refuses({ prompt, max_tokens = 1 }) {
      if (typeof prompt !== 'string') return 'prompt: invalid type: sequence, expected a string';
      return max_tokens <= 4_096
        ? undefined
        : 'Invalid max_tokens value, the valid range of max_tokens is [1, 4096]';
    },
  },
  mistral: {
    path: '/v1/fim/completions',
    members: [...SAMPLING, 'min_tokens', 'random_seed', 'metadata'],
    hasMessages: true,
  },
} as const satisfies Readonly<Record<string, Host>>;

export type CompletionHost = keyof typeof HOSTS;

/** The API root of a host, as the catalogue has it. */
export function rootOf(name: CompletionHost, { origin }: URL): string {
  return name === 'deepseek' ? origin : `${origin}/v1`;
}

/** Starts a host that ends with the test. Its `baseUrl` is its origin. */
export function startFakeCompletions(name: CompletionHost): Promise<FakeProvider> {
  const host: Host = HOSTS[name];
  return startFakeProvider({
    root: '',
    headers: { 'x-request-id': 'req_fake' },
    refusalOf: (request, text) => refusalOf(host, request, text),
    modelOf: (_, { model = '' }) => model,
    wholeAnswer: (call, plan) => wholeAnswer(host, call, plan),
    chunksOf: (call, plan) => chunksOf(host, call, plan),
  });
}

function refusalOf(
  host: Host,
  { method, url, headers }: IncomingMessage,
  text: string,
): FakeError | undefined {
  if (method !== 'POST' || url !== host.path) return error(404, `Invalid URL (${method} ${url})`);
  if (headers.authorization !== `Bearer ${FAKE_KEY}`) return error(401, 'Incorrect API key provided.');
  const call = parse(text);
  if (call?.prompt === undefined) return error(400, "Missing required parameter: 'prompt'.");
  const unknown = Object.keys(call).find((member) => host.members?.includes(member) === false);
  if (unknown !== undefined) return error(422, `Extra inputs are not permitted, field: '${unknown}'`);
  const refusal = host.refuses?.(call);
  return refusal === undefined ? undefined : error(400, refusal);
}

function error(status: number, message: string): FakeError {
  return { status, body: { error: { message, type: 'invalid_request_error', param: null, code: null } } };
}

const WORDS = ['return', ' a', ' +', ' b'];

function wordsOf({ max_tokens }: ChatCall, { words = WORDS }: FakePlan): readonly string[] {
  return words.slice(0, max_tokens || Infinity);
}

function finishOf(call: ChatCall, plan: FakePlan): string {
  return wordsOf(call, plan).length < (plan.words ?? WORDS).length ? 'length' : 'stop';
}

/** OpenAI names the probability of each token, and of the likeliest ones at its place. */
function logprobsOf({ logprobs }: ChatCall, words: readonly string[]): object | null {
  if (logprobs === undefined) return null;
  return {
    tokens: words,
    token_logprobs: words.map(() => -0.5),
    top_logprobs: words.map((word) => ({ [word]: -0.5 })),
    text_offset: words.map((_, index) => index),
  };
}

function head(
  { model }: ChatCall,
  { hasMessages }: Host,
  isStreamed: boolean,
  { members }: FakePlan,
): object {
  const ofChat = isStreamed ? 'chat.completion.chunk' : 'chat.completion';
  const object = hasMessages ? ofChat : 'text_completion';
  return { id: 'cmpl-fake', object, created: 1_760_000_000, model, ...members };
}

function wholeAnswer(host: Host, call: ChatCall, plan: FakePlan): object {
  const words = wordsOf(call, plan);
  const text = `${call.echo === true ? String(call.prompt) : ''}${words.join('')}`;
  const said = host.hasMessages
    ? { message: { role: 'assistant', content: text, tool_calls: null, prefix: false } }
    : { text, logprobs: logprobsOf(call, words) };
  return {
    ...head(call, host, false, plan),
    choices: indices(call).map((index) => ({ index, ...said, finish_reason: finishOf(call, plan) })),
    usage: usageOf(call, plan),
  };
}

function chunksOf(host: Host, call: ChatCall, plan: FakePlan): object[] {
  const isAsked = call.stream_options?.include_usage === true;
  const chunk = (text: string, finish_reason: string | null = null) => ({
    ...head(call, host, true, plan),
    choices: indices(call).map((index) => ({
      index,
      ...(host.hasMessages ? { delta: { content: text } } : { text, logprobs: logprobsOf(call, [text]) }),
      finish_reason,
    })),
    ...(isAsked && { usage: null }),
  });
  const echoed = call.echo === true ? [String(call.prompt)] : [];
  const last = chunk('', finishOf(call, plan));
  return [
    ...[...echoed, ...wordsOf(call, plan)].map((word) => chunk(word)),
    // Mistral counts in the chunk that ends the answer.
    host.hasMessages ? { ...last, usage: usageOf(call, plan) } : last,
    ...(isAsked ? [{ ...head(call, host, true, plan), choices: [], usage: usageOf(call, plan) }] : []),
  ];
}

function indices({ n = 1 }: ChatCall): number[] {
  return [...Array(n).keys()];
}

/** OpenAI counts all answers of which the best are given. */
function usageOf(call: ChatCall, plan: FakePlan): object | undefined {
  const answers = Math.max(indices(call).length, Number(call.best_of ?? 1));
  const prompt_tokens = String(call.prompt).split(/\s+/).length;
  const completion_tokens = wordsOf(call, plan).length * answers;
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    ...plan.usage,
  };
}
