/** What speaks which format, and what can be served of it: `docs/catalog.md#formats`. */
import {
  type AdapterName,
  type Architecture,
  type Endpoint,
  type Format,
  NATIVE_FORMATS,
  type Provider,
  type ServedFormat,
} from './types.js';

/** The formats of an endpoint that names none. */
export function usualFormats(
  { modelId, upstreamModelId }: Pick<Endpoint, 'modelId' | 'upstreamModelId'>,
  { slug, adapter }: Pick<Provider, 'slug' | 'adapter'>,
  { outputModalities }: Pick<Architecture, 'outputModalities'>,
): readonly Format[] {
  const [output, ...others] = outputModalities;
  if ((output === 'embeddings' || output === 'rerank') && others.length === 0) return [output];
  if (adapter === 'anthropic') return ['messages'];
  if (HOSTS_OF_CLAUDE.includes(adapter) && upstreamModelId.includes('claude')) return ['messages'];
  const isOpenAi = slug === 'openai' || (adapter === 'azure' && modelId.startsWith('openai/'));
  return isOpenAi ? ['chat', 'responses'] : ['chat'];
}

const HOSTS_OF_CLAUDE: readonly AdapterName[] = ['google-vertex', 'azure', 'amazon-bedrock'];

/** Whether some operation can use the endpoint. An empty list leaves the format to the adapter. */
export function isServable(
  { formats }: Pick<Endpoint, 'formats'>,
  { adapter }: Pick<Provider, 'adapter'>,
): boolean {
  return formats.length === 0 || formats.some((format) => SPOKEN[adapter].includes(format));
}

/** How an endpoint is called for a request in some format: in it, or in another that the request is translated to. */
export type Lane = 'native' | 'translated';

export function laneOf(
  format: Format,
  { formats }: Pick<Endpoint, 'formats'>,
  { adapter }: Pick<Provider, 'adapter'>,
): Lane {
  return formats.includes(format) && SPOKEN[adapter].includes(format) ? 'native' : 'translated';
}

/** The format that an endpoint is sent a request of this one in: the same where it speaks that, else that of chats. */
export function formatAt<F extends Format>(
  format: F,
  endpoint: Pick<Endpoint, 'formats'>,
  provider: Pick<Provider, 'adapter'>,
): F | 'chat' {
  return laneOf(format, endpoint, provider) === 'native' ? format : 'chat';
}

/** The format in which an endpoint of a host that may speak several is sent chats: theirs, or the only one that it speaks. */
export function sentChatsAs({ formats }: Pick<Endpoint, 'formats'>): ServedFormat {
  if (formats.includes('chat')) return 'chat';
  return NATIVE_FORMATS.find((format) => formats.includes(format)) ?? 'chat';
}

/** The formats that adapters speak. */
const SPOKEN: Readonly<Record<AdapterName, readonly Format[]>> = {
  openai: ['chat', 'messages'],
  azure: ['chat', 'messages'],
  anthropic: ['messages'],
  'amazon-bedrock': ['chat', 'messages'],
  'google-vertex': ['chat', 'messages'],
  demo: ['chat'],
};
