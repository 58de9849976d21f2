import { systemClock } from '../../base/clock.js';
import { Problem } from '../../base/problem.js';
import { hostHeaders } from '../../byok/keys/host-headers.js';
import type { Endpoint, Provider } from '../../catalog/types.js';
import type { Gateway } from '../../compose/gateway.js';
import { readCompletion } from '../../formats/completions/reader.js';
import { Deadlines } from '../../inference/attempts/deadlines.js';
import { makeAttempt } from '../../inference/attempts/make-attempt.js';
import { sameTimeouts } from '../../inference/attempts/request-timeouts.js';
import { failureOf } from '../../inference/attempts/runner.js';
import type { SentRequest } from '../../inference/ports/inference-request.js';
import type { AddedAdapter } from './options.js';

export interface Target {
  readonly slug: string;
  readonly adapter: AddedAdapter;
  /** Roots to try, the likeliest first. */
  readonly roots: readonly string[];
  readonly credential: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** The chat that was answered. */
export interface TriedChat {
  readonly root: string;
  /** The host's name. */
  readonly model: string;
}

/** A server may load the model first. */
const TIMEOUTS = sameTimeouts(180_000);

/** Some models of a list may be of another kind, which the host does not say. */
const MAX_MODELS = 3;

/** What servers without chats answer, such as vLLM, Infinity and llama.cpp. */
const NO_CHATS: ReadonlySet<number | null> = new Set([400, 404, 501]);

interface Failure {
  readonly status: number | null;
  readonly text: string;
}

const CHAT: SentRequest = {
  format: 'chat',
  chat: { messages: [{ role: 'user', content: 'Hi' }], max_tokens: 16 },
};

/** What is asked of a host beside chats; its answer may be as short as can be. */
const TEXT = readCompletion({ prompt: 'Hi', max_tokens: 1 });

/** Whether the model that has answered a chat goes on from a plain text too. */
export async function answersTexts(
  { adapters }: Pick<Gateway, 'adapters'>,
  target: Target,
  { root, model }: TriedChat,
): Promise<boolean> {
  return target.adapter === 'openai' && (await tryOnce(adapters, target, { root, model }, TEXT)) === null;
}

/** Has one of the models answer a short chat. Throws `upstream_failed` with the host's words where none does. */
export async function firstAnswering(
  { adapters }: Pick<Gateway, 'adapters'>,
  target: Target,
  models: readonly string[],
): Promise<TriedChat> {
  const failures: string[] = [];
  let hasChats = true;
  for (const model of models.slice(0, MAX_MODELS)) {
    for (const root of target.roots) {
      const failure = await tryOnce(adapters, target, { root, model }, CHAT);
      if (failure === null) return { root, model };
      failures.push(`${model} at ${root}: ${failure.text}`);
      if (NO_CHATS.has(failure.status)) hasChats = false;
    }
  }
  const advice = hasChats
    ? ''
    : ' (models that only make embeddings or rerank are added by "byway catalog import FILE --merge")';
  throw new Problem(
    'upstream_failed',
    `nothing is added: no chat was answered${advice}: ${failures.join('; ')}`,
  );
}

/** null when it was answered, else what went wrong. */
async function tryOnce(
  adapters: Gateway['adapters'],
  target: Target,
  { root, model }: TriedChat,
  sent: SentRequest,
): Promise<Failure | null> {
  const { credential, headers } = target;
  const provider = providerAt(target, root);
  const attempt = {
    endpoint: endpointOf(target.slug, model),
    provider,
    modelReasoning: null,
    key: null,
    section: 'shared',
    region: null,
    health: { state: 'ok' },
  } as const;
  const dependencies = {
    adapters,
    openCredential: async () => credential,
    openHeaders: async () => hostHeaders(root, headers),
    clock: systemClock,
  };
  const deadlines = new Deadlines(new AbortController().signal, TIMEOUTS, undefined, false);
  try {
    await makeAttempt(
      { dependencies, accountId: 'operator', deadlines, sent },
      { attempt, mayWait: true },
      (adapter, call) => adapter.complete(call),
    );
    return null;
  } catch (thrown) {
    const { status, error, message } = failureOf(thrown, deadlines);
    return { status: status ?? null, text: `${status ?? error ?? ''} ${message}`.trim() };
  } finally {
    deadlines.abandon();
    deadlines.end();
  }
}

function providerAt({ slug, adapter, headers }: Target, root: string): Provider {
  return {
    slug,
    name: slug,
    adapter,
    baseUrl: root,
    storageBaseUrl: null,
    regions: [],
    dataPolicy: {},
    quirks: {},
    headers,
    headquarters: null,
    datacenters: [],
    privacyPolicyUrl: null,
    termsOfServiceUrl: null,
    statusPageUrl: null,
  };
}

function endpointOf(slug: string, model: string): Endpoint {
  return {
    id: `${slug}/${model}`,
    provider: slug,
    modelId: `${slug}/${model}`,
    upstreamModelId: model,
    region: null,
    pricing: { prices: { prompt: '0', completion: '0' }, discount: null, overrides: [] },
    contextLength: null,
    maxCompletionTokens: null,
    isModerated: false,
    quantization: null,
    supportedParameters: [],
    dataPolicy: { zdr: false, dataCollection: true },
    status: 'active',
    formats: ['chat', 'completions'],
    quirks: {},
  };
}
