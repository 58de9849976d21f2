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

const BY_HOST: ReadonlyMap<string, HostName> = new Map(
  namesOf(KNOWN_HOSTS).flatMap((name) => KNOWN_HOSTS[name].map((host): [string, HostName] => [host, name])),
);

/** By the host that is called, else by the provider's slug (as behind a proxy); undefined = nothing is known of it. */
export function hostNamed(host: string, slug: string): HostName | undefined {
  return BY_HOST.get(host) ?? (Object.hasOwn(KNOWN_HOSTS, slug) ? (slug as HostName) : undefined);
}

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

function namesOf<Name extends string>(table: Readonly<Record<Name, unknown>>): Name[] {
  return Object.keys(table) as Name[];
}
