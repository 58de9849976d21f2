import type { BedrockCredential } from '../../../byok/kinds/amazon-bedrock.js';
import { bedrockRegion } from '../../../byok/kinds/region.js';
import type { CallCommons } from '../../../inference/ports/adapter.js';

/** The region to call. The host's name contains it. */
export function regionOf({ credential, region, endpoint }: CallCommons<BedrockCredential>): string {
  return region ?? bedrockRegion(credential, endpoint.region);
}
