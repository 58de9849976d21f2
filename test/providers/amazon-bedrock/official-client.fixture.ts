/** The official client, one request per call, over the same HTTP as ours. */
import { BedrockRuntimeClient } from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { FAKE_ACCESS_KEY, FAKE_REGION } from '../../support/fakes/fake-bedrock/serve.js';

/** Authentication of the client. */
export type Proof = { readonly apiKey: string } | { readonly secretAccessKey: string };

/** A client for the endpoint. Close it with `destroy`. */
export function officialClient(endpoint: string, proof: Proof = FAKE_ACCESS_KEY): BedrockRuntimeClient {
  return new BedrockRuntimeClient({
    endpoint,
    region: FAKE_REGION,
    maxAttempts: 1,
    requestHandler: new NodeHttpHandler(),
    ...('apiKey' in proof
      ? { token: { token: proof.apiKey }, authSchemePreference: ['httpBearerAuth'] }
      : { credentials: { ...FAKE_ACCESS_KEY, ...proof } }),
  });
}
