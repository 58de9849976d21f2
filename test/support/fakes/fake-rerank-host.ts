/**
 * A local host of reranking, in the form of one of those that there are; it refuses what that refuses (`strict/rerank.ts`). Forms of
 * answers: https://docs.cohere.com/reference/rerank, https://docs.voyageai.com/reference/reranker-api, https://api.jina.ai/redoc and
 * vLLM's types (https://github.com/vllm-project/vllm/blob/main/vllm/entrypoints/pooling/score/protocol.py), of LocalAI as reported
 * (https://github.com/mudler/LocalAI/issues/7189), of SGLang as documented
 * (https://github.com/sgl-project/sglang/pull/16403) and reported
 * (https://github.com/BerriAI/litellm/issues/29156), 2026-11-26.
 */
import { type RerankForm, rerankRefusal } from '../strict/rerank.js';
import { jsonOf, startFakeServer } from './fake-server.js';

/** The key that it takes. */
export const RERANK_KEY = 'sk-fake-rerank-0123456789';

export interface RerankPlan {
  readonly form?: RerankForm;
  /** In place of what it counts. */
  readonly usage?: object;
  /** In place of the results. */
  readonly results?: (results: readonly FakeResult[]) => unknown;
  readonly status?: (key: string) => number | undefined;
}

export interface FakeResult {
  readonly index: number;
  readonly relevance_score: number;
  readonly document?: unknown;
}

export interface RerankCall {
  readonly path: string;
  readonly key: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** How relevant a document is: it follows from its text. */
export function scoreOf(text: string): number {
  let seed = 7;
  for (const character of text) seed = (seed * 31 + character.charCodeAt(0)) % 65_521;
  return seed / 65_521;
}

/** The positions of the documents, the most relevant first. */
export function orderOf(documents: readonly string[]): number[] {
  const order = documents.map((_, index) => index);
  return order.sort((one, other) => scoreOf(documents[other] ?? '') - scoreOf(documents[one] ?? ''));
}

/** Starts one that ends with the test. */
export async function startRerankHost(plan: RerankPlan = {}) {
  const calls: RerankCall[] = [];
  const { form = 'cohere' } = plan;
  const server = await startFakeServer(async ({ request, response, text }) => {
    const { url = '', headers } = request;
    const key = (headers.authorization ?? '').replace('Bearer ', '');
    if (!url.endsWith('/rerank')) {
      response.writeHead(404, { 'content-type': 'application/json' });
      response.end(jsonOf({ detail: 'Not Found' }));
      return;
    }
    const body = JSON.parse(text) as RerankCall['body'];
    calls.push({ path: url, key, body });
    const planned = plan.status?.(key);
    const [status, message] =
      planned === undefined ? (rerankRefusal(form, body) ?? [200]) : [planned, 'planned'];
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(jsonOf(status === 200 ? answerTo(body, plan) : FORMS[form].refusal(String(message))));
  });
  return Object.assign(server, { baseUrl: `${server.origin}/v2`, calls });
}

interface Form {
  answer(results: unknown, tokens: number, documents: number): object;
  /** What it says of a document. */
  document(text: string, body: RerankCall['body']): object;
  /** The member that says how many results are wanted; null = it answers all, in the order in which they were sent. */
  readonly top: string | null;
  refusal(message: string): object;
}

const FORMS: Readonly<Record<RerankForm, Form>> = {
  cohere: {
    answer: (results, _, documents) => ({
      id: '07734bd2-2473-4f07-94e1-0d9f0e6843cf',
      results,
      meta: {
        api_version: { version: '2', is_experimental: false },
        billed_units: { search_units: Math.ceil(documents / 100) },
      },
    }),
    document: () => ({}),
    top: 'top_n',
    refusal: (message) => ({ id: '44558cc5-318a-42ac-bf42-9b9f3c6afabd', message }),
  },
  jina: {
    answer: (results, total_tokens) => ({
      model: 'reranker',
      object: 'list',
      usage: { total_tokens },
      results,
    }),
    // It repeats documents unless it is told not to.
    document: (text, { return_documents }) => (return_documents === false ? {} : { document: { text } }),
    top: 'top_n',
    refusal: (detail) => ({ detail }),
  },
  voyage: {
    answer: (data, total_tokens) => ({ object: 'list', data, model: 'reranker', usage: { total_tokens } }),
    document: (document, { return_documents }) => (return_documents === true ? { document } : {}),
    top: 'top_k',
    refusal: (detail) => ({ detail }),
  },
  vllm: {
    answer: (results, total_tokens) => ({
      id: 'rerank-1',
      model: 'reranker',
      usage: { total_tokens },
      results,
    }),
    document: (text) => ({ document: { text, multi_modal: null } }),
    top: 'top_n',
    refusal: (message) => ({ error: { message, type: 'BadRequestError', param: null, code: 400 } }),
  },
  localai: {
    answer: (results, total_tokens) => ({
      model: 'reranker',
      usage: { total_tokens, prompt_tokens: total_tokens },
      results,
    }),
    document: (text) => ({ document: { text } }),
    top: null,
    refusal: (message) => ({ error: { code: 400, message, type: '' } }),
  },
  sglang: {
    answer: (results) =>
      (results as readonly FakeResult[]).map(({ relevance_score, ...others }) => ({
        score: relevance_score,
        ...others,
        meta_info: null,
      })),
    document: (document) => ({ document }),
    top: 'top_n',
    refusal: (message) => ({ object: 'error', message, type: 'BadRequestError', param: null, code: 400 }),
  },
};

function answerTo(
  body: RerankCall['body'],
  { form = 'cohere', usage, results = (all) => all }: RerankPlan,
): object {
  const { answer, document, top } = FORMS[form];
  const documents = body.documents as readonly string[];
  const wanted = top === null ? undefined : (body[top] as number | undefined);
  const ranked = top === null ? [...documents.keys()] : orderOf(documents).slice(0, wanted || undefined);
  const all = ranked.map((index): FakeResult => {
    const text = documents[index] ?? '';
    return { index, relevance_score: scoreOf(text), ...document(text, body) };
  });
  const tokens = documents.reduce((sum, text) => sum + String(body.query).length + text.length, 0);
  const answered = answer(results(all), tokens, documents.length);
  return Array.isArray(answered) ? answered : { ...answered, ...usage };
}
