import type { BedrockCredential } from '../../../src/byok/kinds/amazon-bedrock.js';
import { responseFailure } from '../../../src/providers/amazon-bedrock/host/error-response.js';
import { NOW } from '../../support/chat.js';
import { typed } from '../../support/fakes/fake-bedrock/errors.js';
import { ACCESS_KEY } from './adapter.fixture.js';

export interface RefusedRequest {
  readonly credential?: BedrockCredential;
  readonly headers?: Record<string, string>;
  readonly isStreamed?: boolean;
}

/** The failure of an error response of the service. */
export function refusal(status: number, type: string | null, message: string, request: RefusedRequest = {}) {
  const { body, headers } = typed(status, type ?? '', message);
  return responseFailure(
    { status, headers: { ...(type !== null && headers), ...request.headers }, text: JSON.stringify(body) },
    {
      credential: request.credential ?? ACCESS_KEY,
      region: 'us-east-1',
      isStreamed: request.isStreamed ?? false,
    },
    NOW,
  );
}
