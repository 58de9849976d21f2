/**
 * A local host of embeddings in OpenAI's form, which refuses what hosts refuse: https://platform.openai.com/docs/api-reference/embeddings
 * (looked up on 2026-11-26): empty inputs, more than its inputs, and unknown members. What it does with base64 is chosen:
 * OpenAI honours it, others ignore it (https://github.com/arabold/docs-mcp-server/pull/471, 2026-11-26) or refuse it
 * (https://github.com/vllm-project/vllm/issues/5734, 2026-11-26).
 */
import { jsonOf, startFakeServer } from './fake-server.js';

/** The key that it takes. */
export const EMBEDDING_KEY = 'sk-fake-embeddings-0123456789';

const MEMBERS: ReadonlySet<string> = new Set(['model', 'input', 'encoding_format', 'dimensions', 'user']);

export interface EmbeddingPlan {
  readonly base64?: 'honoured' | 'ignored' | 'refused';
  readonly maxInputs?: number;
  /** Whether lists of tokens are taken. */
  readonly takesTokens?: boolean;
  /** In which words it refuses a body, in place of OpenAI's rules. */
  readonly refuses?: (body: object) => string | undefined;
  /** With which status it refuses. */
  readonly refusalStatus?: number;
  readonly usage?: object | null;
  /** In place of the embeddings. */
  readonly data?: (data: readonly Embedded[]) => unknown;
  readonly status?: (input: readonly unknown[], key: string) => number | undefined;
  readonly delayMs?: (input: readonly unknown[]) => number;
}

export interface Embedded {
  readonly object: 'embedding';
  readonly index: number;
  readonly embedding: unknown;
}

export interface EmbeddingCall {
  readonly path: string;
  readonly key: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What an input's embedding is: numbers that 32 bits hold exactly, and that follow from the input. */
export function vectorOfInput(input: unknown, dimensions = 4): number[] {
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  let seed = 7;
  for (const character of text) seed = (seed * 31 + character.charCodeAt(0)) % 65_521;
  return Array.from({ length: dimensions }, (_, index) => ((seed * (index + 3)) % 8191) / 4096 - 1);
}

/** Starts one that ends with the test. */
export async function startEmbeddingHost(plan: EmbeddingPlan = {}) {
  const calls: EmbeddingCall[] = [];
  let most = 0;
  let now = 0;
  const server = await startFakeServer(async ({ request, response, text }) => {
    const { url = '', headers } = request;
    const body = JSON.parse(text) as Record<string, unknown>;
    const key = String(headers['api-key'] ?? headers.authorization ?? '').replace('Bearer ', '');
    calls.push({ path: url, key, body });
    now += 1;
    most = Math.max(most, now);
    const input = typeof body.input === 'string' ? [body.input] : inputsIn(body.input);
    const delay = plan.delayMs?.(input);
    if (delay !== undefined) await new Promise((resolve) => setTimeout(resolve, delay));
    now -= 1;
    const status = plan.status?.(input, key);
    const refusal = status === undefined ? refusalOf(body, input, plan) : 'planned';
    const answer =
      refusal === undefined
        ? answerTo(body, input, plan)
        : { error: { message: refusal, type: 'invalid_request_error', param: null, code: null } };
    response.writeHead(status ?? (refusal === undefined ? 200 : (plan.refusalStatus ?? 400)), {
      'content-type': 'application/json',
    });
    response.end(jsonOf(answer));
  });
  return Object.assign(server, {
    baseUrl: `${server.origin}/v1`,
    calls,
    /** The most calls that it had at the same time. */
    most: () => most,
  });
}

function inputsIn(input: unknown): readonly unknown[] {
  const list = input as readonly unknown[];
  return typeof list[0] === 'number' ? [list] : list;
}

function refusalOf(
  body: Readonly<Record<string, unknown>>,
  input: readonly unknown[],
  { base64 = 'honoured', maxInputs = 2048, takesTokens = true, refuses }: EmbeddingPlan,
): string | undefined {
  if (refuses !== undefined) return refuses(body);
  const unknown = Object.keys(body).find((name) => !MEMBERS.has(name));
  if (unknown !== undefined) return `Unrecognized request argument supplied: ${unknown}`;
  if (input.length === 0 || input.some((one) => one === '')) return "'$.input' is invalid.";
  if (input.length > maxInputs) return `'$.input' is invalid: at most ${maxInputs} inputs`;
  if (!takesTokens && input.some((one) => typeof one !== 'string')) return 'input must be strings';
  if (base64 === 'refused' && body.encoding_format === 'base64') return 'base64 encoding is not supported';
  return undefined;
}

function answerTo(
  body: Readonly<Record<string, unknown>>,
  input: readonly unknown[],
  { base64 = 'honoured', usage, data = (all) => all }: EmbeddingPlan,
): object {
  const isBase64 = base64 === 'honoured' && body.encoding_format === 'base64';
  const embedded = input.map((one, index): Embedded => {
    const vector = vectorOfInput(one, Number(body.dimensions ?? body.output_dimension ?? 4));
    const embedding = isBase64 ? Buffer.from(Float32Array.from(vector).buffer).toString('base64') : vector;
    return { object: 'embedding', index, embedding };
  });
  const tokens = input.reduce<number>((sum, one) => sum + (one as string | unknown[]).length, 0);
  const counted = usage === undefined ? { prompt_tokens: tokens, total_tokens: tokens } : usage;
  return { object: 'list', data: data(embedded), model: body.model, ...(counted && { usage: counted }) };
}
