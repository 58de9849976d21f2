import { trimEnd } from '../../base/text.js';
import type { AdapterName, Provider } from '../types.js';
import type { DevModel, DevProvider } from './document.js';
import { lookUp } from './look-up.js';

interface Protocol {
  readonly adapter: AdapterName;
  /** The API root where the file gives none; null = the adapter's own default. */
  readonly baseUrl: string | null;
}

/**
 * Protocols by SDK package. Services with a package of their own that also have an OpenAI-compatible API are called
 * there, at the documented root.
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

/** Slugs where they differ from the models.dev id; two ids of one service share a slug. */
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

/** Display names where the file's own are ambiguous. */
const NAMES: Readonly<Record<string, string>> = {
  'google-ai-studio': 'Google AI Studio',
  'google-vertex': 'Google Vertex AI',
  minimax: 'MiniMax',
};

export function providerSlug(devId: string): string {
  return lookUp(SLUGS, devId) ?? devId;
}

/**
 * undefined where there is no adapter for the provider's protocol, or its URL is unknown. The file has no data policies.
 */
export function convertProvider(dev: DevProvider): Provider | undefined {
  const protocol = lookUp(PROTOCOLS, dev.npm);
  if (protocol === undefined) return undefined;
  const baseUrl = dev.api == null ? protocol.baseUrl : trimEnd(dev.api, '/');
  if (baseUrl?.includes('${') || (baseUrl === null && dev.npm === '@ai-sdk/openai-compatible'))
    return undefined;
  const slug = providerSlug(dev.id);
  return {
    slug,
    name: lookUp(NAMES, slug) ?? dev.name,
    adapter: protocol.adapter,
    baseUrl,
    storageBaseUrl: null,
    regions: [],
    dataPolicy: {},
    quirks: {},
    headquarters: null,
    datacenters: [],
    privacyPolicyUrl: null,
    termsOfServiceUrl: null,
    statusPageUrl: null,
  };
}

/** The endpoint's protocol, which determines its parameters. */
export function protocolOf({ override }: DevModel, provider: Provider): AdapterName {
  const adapter = override?.npm == null ? undefined : lookUp(PROTOCOLS, override.npm)?.adapter;
  const claude = adapter === 'anthropic' || override?.npm === '@ai-sdk/google-vertex/anthropic';
  return claude ? 'anthropic' : provider.adapter;
}

/** Whether an adapter chooses a protocol by model. */
const CHOOSES_BY_MODEL: Readonly<Record<AdapterName, boolean>> = {
  openai: false,
  anthropic: false,
  azure: true,
  'amazon-bedrock': false,
  'google-vertex': true,
  demo: false,
};

/**
 * Whether the provider's adapter can call the model. Unless the adapter chooses a protocol by model, the model must have its
 * provider's protocol. Bedrock has models that speak Responses alone, at a host of their own, which no adapter calls.
 */
export function isCallable({ override }: DevModel, provider: Provider): boolean {
  if (override === null) return true;
  if (override.shape === 'responses') return false;
  if (CHOOSES_BY_MODEL[provider.adapter]) return true;
  const sameProtocol = override.npm === null || lookUp(PROTOCOLS, override.npm)?.adapter === provider.adapter;
  return sameProtocol && (override.api === null || trimEnd(override.api, '/') === provider.baseUrl);
}
