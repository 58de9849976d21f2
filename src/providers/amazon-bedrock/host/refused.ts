import type { BedrockCredential } from '../../../byok/kinds/amazon-bedrock.js';
import type { UpstreamFailure } from '../../../inference/ports/failure.js';
import type { ErrorResponse } from '../../common/error-response.js';
import type { RefusedCall } from '../../http/codec.js';
import { responseFailure } from './error-response.js';
import { regionOf } from './region.js';

/** The failure of a refused call, of any operation. */
export function refusedFailure(
  response: ErrorResponse,
  { call, isStreamed, now }: RefusedCall<BedrockCredential>,
): UpstreamFailure {
  return responseFailure(response, { credential: call.credential, region: regionOf(call), isStreamed }, now);
}
