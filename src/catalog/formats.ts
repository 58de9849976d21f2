/** What speaks which format, and what can be served of it: `docs/catalog.md#formats`. */
import { type HostName, hostOf } from './known-hosts.js';
import {
  type AdapterName,
  type Architecture,
  type Endpoint,
  FORMATS,
  type Format,
  type Provider,
} from './types.js';

/** The formats of an endpoint that names none. */
export function defaultFormats(
  endpoint: Named,
  provider: Pick<Provider, 'slug' | 'adapter' | 'baseUrl'>,
  { outputModalities }: Pick<Architecture, 'outputModalities'>,
): readonly Format[] {
  const { slug, adapter } = provider;
  const [output, ...others] = outputModalities;
  if ((output === 'embeddings' || output === 'rerank') && others.length === 0) return [output];
  const formats = OF_ADAPTERS[adapter](endpoint);
  if (formats !== CHAT) return formats;
  if (slug === 'openai') return TEXT_MODELS.test(endpoint.modelId) ? COMPLETIONS : formatsOfOpenAi(endpoint);
  return isCompleting(endpoint, provider) ? CHAT_AND_COMPLETIONS : formats;
}

type Named = Pick<Endpoint, 'modelId' | 'upstreamModelId'>;

const CHAT: readonly Format[] = ['chat'];
const OPENAI: readonly Format[] = ['chat', 'responses'];
const RESPONSES: readonly Format[] = ['responses'];
const MESSAGES: readonly Format[] = ['messages'];
const COMPLETIONS: readonly Format[] = ['completions'];
const CHAT_AND_COMPLETIONS: readonly Format[] = ['chat', 'completions'];

/** Models of OpenAI's that have text completions alone: https://platform.openai.com/docs/deprecations (2026-11-26). */
const TEXT_MODELS = /(?:^|\/)(?:gpt-3\.5-turbo-instruct(?:-\d{4})?|babbage-002|davinci-002)$/;

/** Hosts that have text completions beside chats, by the models that do: `docs/providers/openai-compatible.md#text-completions`. */
const COMPLETING: { readonly [name in HostName]?: RegExp } = {
  // But the one that always thinks.
  deepseek: /^(?!deepseek-reasoner)/,
  fireworks: /^/,
  mistral: /^codestral/,
};

function isCompleting(
  { upstreamModelId }: Named,
  provider: Pick<Provider, 'slug' | 'adapter' | 'baseUrl'>,
): boolean {
  const name = provider.adapter === 'openai' ? hostOf(provider) : undefined;
  return (name && COMPLETING[name]?.test(upstreamModelId)) ?? false;
}

/** Models of OpenAI's that only the Responses API serves: `docs/catalog.md#formats`, with sources. */
const WITHOUT_CHATS = [
  /-pro(?:-\d{4}-\d{2}-\d{2})?$/,
  /[/-]codex(?:-|$)/,
  /-deep-research(?:-\d{4}-\d{2}-\d{2})?$/,
  /[/-]computer-use-preview/,
];

/** Those that it does not serve, wherever they are, and at Azure. */
const WITHOUT_RESPONSES = /-search-(?:preview|api)|-audio(?:-|$)|\/o1-mini(?:-|$)|\/gpt-oss-/;
const CHATS_AT_AZURE = /\/gpt-(?:3\.5|35|4-|4$)/;

/** Whether a model of OpenAI's takes no chats, by its id in the catalogue. */
export function hasNoChats(modelId: string): boolean {
  return modelId.startsWith('openai/') && WITHOUT_CHATS.some((pattern) => pattern.test(modelId));
}

function formatsOfOpenAi({ modelId }: Named): readonly Format[] {
  if (WITHOUT_RESPONSES.test(modelId)) return CHAT;
  return hasNoChats(modelId) ? RESPONSES : OPENAI;
}

function formatsAtAzure(endpoint: Named): readonly Format[] {
  return CHATS_AT_AZURE.test(endpoint.modelId) ? CHAT : formatsOfOpenAi(endpoint);
}

/** By adapter, whichever provider is called over it. */
const OF_ADAPTERS: Readonly<Record<AdapterName, (endpoint: Named) => readonly Format[]>> = {
  openai: () => CHAT,
  anthropic: () => MESSAGES,
  azure: (endpoint) =>
    endpoint.modelId.startsWith('openai/') ? formatsAtAzure(endpoint) : ofHostOfClaude(endpoint),
  'amazon-bedrock': ofHostOfClaude,
  'google-vertex': ofHostOfClaude,
  demo: () => CHAT_AND_COMPLETIONS,
};

function ofHostOfClaude({ upstreamModelId }: Named): readonly Format[] {
  return upstreamModelId.includes('claude') ? MESSAGES : CHAT;
}

/** Whether some operation can use the endpoint. An empty list leaves the format to the adapter. */
export function isServable(
  { formats }: Pick<Endpoint, 'formats'>,
  { adapter }: Pick<Provider, 'adapter'>,
): boolean {
  return formats.length === 0 || formats.some((format) => SPOKEN[adapter][format]);
}

/** How an endpoint is called for a request in some format: in it, or in another that the request is translated to. */
export type Lane = 'native' | 'translated';

export function laneOf(
  format: Format,
  { formats }: Pick<Endpoint, 'formats'>,
  { adapter }: Pick<Provider, 'adapter'>,
): Lane {
  return formats.includes(format) && SPOKEN[adapter][format] ? 'native' : 'translated';
}

/** The format that an endpoint is sent a request of this one in: the same where it speaks that, else that of chats. */
export function formatAt<F extends Format>(
  format: F,
  endpoint: Pick<Endpoint, 'formats'>,
  provider: Pick<Provider, 'adapter'>,
): F | 'chat' {
  return laneOf(format, endpoint, provider) === 'native' ? format : 'chat';
}

/** Whether an endpoint can be sent chats in a format that is served. */
const CARRIES_CHATS = {
  chat: true,
  messages: true,
  responses: true,
  completions: false,
  embeddings: false,
  rerank: false,
} as const satisfies Record<Format, boolean>;

/** Whether requests of a format can be sent to endpoints that don't speak it: as chats. */
export function isTranslated(format: Format): boolean {
  return CARRIES_CHATS[format];
}

/** Those in which it can. */
export type ChatFormat = {
  [F in Format]: (typeof CARRIES_CHATS)[F] extends true ? F : never;
}[Format];

const CHAT_FORMATS = FORMATS.filter((format): format is ChatFormat => CARRIES_CHATS[format]);

/** The format in which an endpoint of a host that may speak several is sent chats: theirs, or the first that it speaks. */
export function sentChatsAs({ formats }: Pick<Endpoint, 'formats'>): ChatFormat {
  return CHAT_FORMATS.find((format) => formats.includes(format)) ?? 'chat';
}

/** Whether the endpoint can be sent chats, and so what is translated to them. */
export function takesChats(
  { formats }: Pick<Endpoint, 'formats'>,
  { adapter }: Pick<Provider, 'adapter'>,
): boolean {
  return (
    formats.length === 0 || CHAT_FORMATS.some((format) => SPOKEN[adapter][format] && formats.includes(format))
  );
}

/** Whether the endpoint can be sent texts to complete. */
export function completesTexts(
  endpoint: Pick<Endpoint, 'formats'>,
  provider: Pick<Provider, 'adapter'>,
): boolean {
  return laneOf('completions', endpoint, provider) === 'native';
}

/** Whether adapters speak formats. */
const SPOKEN: Readonly<Record<AdapterName, Readonly<Record<Format, boolean>>>> = {
  openai: { chat: true, messages: true, responses: true, completions: true, embeddings: true, rerank: true },
  azure: { chat: true, messages: true, responses: true, completions: false, embeddings: true, rerank: false },
  anthropic: {
    chat: true,
    messages: true,
    responses: false,
    completions: false,
    embeddings: false,
    rerank: false,
  },
  'amazon-bedrock': {
    chat: true,
    messages: true,
    responses: false,
    completions: false,
    embeddings: true,
    rerank: true,
  },
  'google-vertex': {
    chat: true,
    messages: true,
    responses: false,
    completions: false,
    embeddings: true,
    rerank: false,
  },
  demo: { chat: true, messages: false, responses: false, completions: true, embeddings: true, rerank: true },
};
