import type { BedrockCredential } from '../../../byok/kinds/amazon-bedrock.js';
import type { CallCommons } from '../../../inference/ports/adapter.js';
import { providerUrl } from '../../http/provider-url.js';
import { regionOf } from './region.js';
import { encodePathSegment } from './sigv4.js';

/** China's regions have their own domain. */
const ROOT = 'https://bedrock-runtime.{region}.amazonaws.com';
const CHINESE_ROOT = `${ROOT}.cn`;

/**
 * The URL of an operation for the endpoint's model. The model's id, or the ARN of a profile, is one segment of the
 * path. Throws as `providerUrl` does.
 */
export function modelUrl(call: CallCommons<BedrockCredential>, operation: string): URL {
  const { provider, endpoint } = call;
  const region = regionOf(call);
  const path = `/model/${encodePathSegment(endpoint.upstreamModelId)}/${operation}`;
  const url = providerUrl(provider, region.startsWith('cn-') ? CHINESE_ROOT : ROOT, region, path);
  url.search = '';
  return url;
}
