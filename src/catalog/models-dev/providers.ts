import { trimEnd } from '../../base/trim-end.js';
import type { AdapterName, Provider } from '../types.js';
import type { DevModel, DevProvider } from './document.js';

interface Protocol {
  readonly adapter: AdapterName;
  /** The API root where the file gives none; null = the adapter's own default. */
  readonly baseUrl: string | null;
}

/**
 * How the SDK packages' services are reached. Those that have a package of their own but also speak the OpenAI
 * protocol are reached by that, at the root their documentation names for it.
 */
const PROTOCOLS: Readonly<Record<string, Protocol>> = {
  '@ai-sdk/amazon-bedrock': { adapter: 'amazon-bedrock', baseUrl: null },
  '@ai-sdk/anthropic': { adapter: 'anthropic', baseUrl: null },
  '@ai-sdk/azure': { adapter: 'azure', baseUrl: null },
  '@ai-sdk/cerebras': { adapter: 'openai', baseUrl: 'https://api.cerebras.ai/v1' },
  '@ai-sdk/cohere': { adapter: 'openai', baseUrl: 'https://api.cohere.ai/compatibility/v1' },
  '@ai-sdk/deepinfra': { adapter: 'openai', baseUrl: 'https://api.deepinfra.com/v1/openai' },
  '@ai-sdk/google': { adapter: 'openai', baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai' },
  '@ai-sdk/google-vertex': { adapter: 'google-vertex', baseUrl: null },
  '@ai-sdk/google-vertex/anthropic': { adapter: 'google-vertex', baseUrl: null },
  '@ai-sdk/groq': { adapter: 'openai', baseUrl: 'https://api.groq.com/openai/v1' },
  '@ai-sdk/mistral': { adapter: 'openai', baseUrl: 'https://api.mistral.ai/v1' },
  '@ai-sdk/openai': { adapter: 'openai', baseUrl: null },
  '@ai-sdk/openai-compatible': { adapter: 'openai', baseUrl: null },
  '@ai-sdk/perplexity': { adapter: 'openai', baseUrl: 'https://api.perplexity.ai' },
  '@ai-sdk/togetherai': { adapter: 'openai', baseUrl: 'https://api.together.xyz/v1' },
  '@ai-sdk/xai': { adapter: 'openai', baseUrl: 'https://api.x.ai/v1' },
  '@aihubmix/ai-sdk-provider': { adapter: 'openai', baseUrl: 'https://aihubmix.com/v1' },
};

/** The ecosystem's slugs where models.dev has another id; two ids of one service share a slug. */
const SLUGS: Readonly<Record<string, string>> = {
  'azure-cognitive-services': 'azure',
  'fireworks-ai': 'fireworks',
  google: 'google-ai-studio',
  'google-vertex-anthropic': 'google-vertex',
  inference: 'inference-net',
  'novita-ai': 'novita',
  togetherai: 'together',
  zai: 'z-ai',
};

/** Display names where the file's own says too little beside the others. */
const NAMES: Readonly<Record<string, string>> = {
  'google-ai-studio': 'Google AI Studio',
  'google-vertex': 'Google Vertex AI',
  minimax: 'MiniMax',
};

/** The slug of a models.dev provider. */
export function providerSlug(devId: string): string {
  return SLUGS[devId] ?? devId;
}

/**
 * The provider in our terms; undefined where no adapter speaks its protocol or its address is not known. Nothing is
 * said of data policies: the file says nothing.
 */
export function convertProvider(dev: DevProvider): Provider | undefined {
  const protocol = PROTOCOLS[dev.npm];
  if (protocol === undefined) return undefined;
  const baseUrl = dev.api == null ? protocol.baseUrl : trimEnd(dev.api, '/');
  if (baseUrl?.includes('${') || (baseUrl === null && dev.npm === '@ai-sdk/openai-compatible'))
    return undefined;
  const slug = providerSlug(dev.id);
  return {
    slug,
    name: NAMES[slug] ?? dev.name,
    adapter: protocol.adapter,
    baseUrl,
    storageBaseUrl: null,
    regions: [],
    dataPolicy: {},
    headquarters: null,
    datacenters: [],
    privacyPolicyUrl: null,
    termsOfServiceUrl: null,
    statusPageUrl: null,
  };
}

/** The protocol family that the endpoint answers in, which decides what parameters it can take. */
export function dialectOf({ override }: DevModel, provider: Provider): AdapterName {
  const adapter = override?.npm == null ? undefined : PROTOCOLS[override.npm]?.adapter;
  const claude = adapter === 'anthropic' || override?.npm === '@ai-sdk/google-vertex/anthropic';
  return claude ? 'anthropic' : provider.adapter;
}

/**
 * Whether the provider's adapter can call the model. Platforms with several protocols choose among theirs by
 * themselves; elsewhere the model must be spoken to as its provider is. The responses protocol is not spoken.
 */
export function isCallable({ override }: DevModel, provider: Provider): boolean {
  if (override === null) return true;
  if (override.shape === 'responses') return false;
  if (provider.adapter === 'azure' || provider.adapter === 'google-vertex') return true;
  const sameProtocol = override.npm === null || PROTOCOLS[override.npm]?.adapter === provider.adapter;
  return sameProtocol && (override.api === null || trimEnd(override.api, '/') === provider.baseUrl);
}
