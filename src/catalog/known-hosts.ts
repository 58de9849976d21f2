/** The hosts of APIs in OpenAI's format, by which providers of any slug are known: `docs/providers/openai-compatible.md`. */
import type { Provider } from './types.js';

/** By the slug of the provider. Without hosts it is known by its slug alone. */
export const KNOWN_HOSTS = {
  alibaba: ['dashscope-intl.aliyuncs.com', 'dashscope-us.aliyuncs.com'],
  'alibaba-cn': ['dashscope.aliyuncs.com'],
  azure: [],
  cerebras: ['api.cerebras.ai'],
  deepseek: ['api.deepseek.com'],
  fireworks: ['api.fireworks.ai'],
  'google-ai-studio': ['generativelanguage.googleapis.com'],
  'google-vertex': [],
  groq: ['api.groq.com'],
  mistral: ['api.mistral.ai', 'codestral.mistral.ai'],
  moonshotai: ['api.moonshot.ai'],
  'moonshotai-cn': ['api.moonshot.cn'],
  openai: ['api.openai.com'],
  together: ['api.together.xyz', 'api.together.ai'],
  openrouter: ['openrouter.ai'],
  perplexity: ['api.perplexity.ai'],
  xai: ['api.x.ai'],
  'z-ai': ['api.z.ai', 'open.bigmodel.cn'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type HostName = keyof typeof KNOWN_HOSTS;

/** Those whose embeddings or rerankings alone are known, as `KNOWN_HOSTS`. */
const VECTOR_HOSTS = {
  cohere: ['api.cohere.com', 'api.cohere.ai'],
  deepinfra: ['api.deepinfra.com'],
  jina: ['api.jina.ai'],
  nvidia: ['integrate.api.nvidia.com', 'ai.api.nvidia.com'],
  siliconflow: ['api.siliconflow.com'],
  'siliconflow-cn': ['api.siliconflow.cn'],
  voyage: ['api.voyageai.com', 'ai.mongodb.com'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type VectorHostName = HostName | keyof typeof VECTOR_HOSTS;

/** By the host that is called, else by the provider's slug (as behind a proxy); undefined = nothing is known of it. */
export const hostNamed = finderIn<HostName>(KNOWN_HOSTS);

/** As `hostNamed`, of embeddings and rerankings. */
export const vectorHostNamed = finderIn<VectorHostName>({ ...KNOWN_HOSTS, ...VECTOR_HOSTS });

type Called = Pick<Provider, 'slug' | 'adapter' | 'baseUrl'>;

const known = new WeakMap<Called, HostName | null>();

/** As `hostNamed`, by the host of its `base_url`; placeholders are never a part of a known host. */
export function hostOf(provider: Called): HostName | undefined {
  let name = known.get(provider);
  if (name === undefined) {
    const { slug, adapter, baseUrl } = provider;
    const [, host = ''] = /^https?:\/\/([^/?#]*)/i.exec(baseUrl ?? '') ?? [];
    const ofAdapter = adapter === 'openai' && baseUrl === null ? 'openai' : undefined;
    name = ofAdapter ?? hostNamed(host.toLowerCase(), slug) ?? null;
    known.set(provider, name);
  }
  return name ?? undefined;
}

function finderIn<Name extends string>(table: Readonly<Record<Name, readonly string[]>>) {
  const names = Object.keys(table) as Name[];
  const byHost = new Map(names.flatMap((name) => table[name].map((host) => [host, name] as const)));
  const bySlug = new Map(names.map((name): [string, Name] => [name, name]));
  return (host: string, slug: string): Name | undefined => byHost.get(host) ?? bySlug.get(slug);
}
