import type { BedrockCredential } from '../../../src/byok/kinds/amazon-bedrock.js';
import { responseFailure } from '../../../src/providers/amazon-bedrock/error-response.js';
import { NOW } from '../../support/chat.js';
import { typed } from '../../support/fakes/fake-bedrock/refusals.js';
import { ACCESS_KEY } from './table.js';

/** What a test may decide of a refusal. */
export interface Said {
  readonly credential?: BedrockCredential;
  readonly headers?: Record<string, string>;
  readonly isStreamed?: boolean;
}

/** The failure that comes of a refusal by the service. */
export function refusal(status: number, type: string | null, message: string, said: Said = {}) {
  const { body, headers } = typed(status, type ?? '', message);
  return responseFailure(
    { status, headers: { ...(type !== null && headers), ...said.headers }, text: JSON.stringify(body) },
    {
      credential: said.credential ?? ACCESS_KEY,
      region: 'us-east-1',
      isStreamed: said.isStreamed ?? false,
    },
    NOW,
  );
}
