/** The official client, unmodified, in front of a whole gateway. */
import OpenAI from 'openai';
import { type Capacity, type ProvidersGateway, startProviders } from './providers.js';

export const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Hello there' }];
export const REQUEST = { model: 'test/m', messages };

/** A gateway that ends with the test, and the SDK with its API key. */
export async function startSdk(
  capacity: Capacity | null = 'shared capacity',
  env: Record<string, string> = {},
) {
  const gateway = await startProviders(capacity, { env });
  return { gateway, openai: sdk(gateway, gateway.apiKey) };
}

/** The SDK with its usual configuration, but without retries. */
export function sdk({ rest }: ProvidersGateway, apiKey: string): OpenAI {
  return new OpenAI({ baseURL: rest, apiKey, maxRetries: 0 });
}

/** The chunks of a stream with these deltas, for a fake to send. */
export function chunksOf(deltas: readonly object[], reason: string): object[] {
  const chunk = (delta: object, finish_reason: string | null) => ({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason }],
  });
  return [...deltas.map((delta) => chunk(delta, null)), chunk({}, reason)];
}
