/** Chats that are sent as Responses requests. */
import type { Endpoint, Provider } from '../../../../src/catalog/types.js';
import type { ChatBody, JsonObject } from '../../../../src/formats/chat/types.js';
import type { Adaptation, UpstreamCall } from '../../../../src/inference/ports/adapter.js';
import type { Reasoning } from '../../../../src/inference/reasoning/reasoning.js';
import { chatOverResponses } from '../../../../src/providers/openai/chat-over-responses/codec.js';
import { demoEndpoint } from '../../../support/chat.js';
import { TENANCY } from '../../../support/tenancy.js';
import { openAiProvider } from '../adapter.fixture.js';

export const USER = { role: 'user', content: 'Hello' } as const;

export interface Asked {
  readonly body?: Partial<ChatBody>;
  readonly model?: string;
  readonly endpoint?: Partial<Endpoint>;
  readonly provider?: Partial<Provider>;
  readonly reasoning?: Reasoning | null;
  readonly isStreamed?: boolean;
}

/** OpenAI's own API. */
export const AT_OPENAI = { slug: 'openai', baseUrl: null };

/** A server of the operator's own. */
export const ELSEWHERE = { slug: 'mine', baseUrl: 'https://mine.example/v1' };

const CODEC = chatOverResponses<unknown>(({ endpoint }) => ({
  url: new URL('https://host.example/v1/responses'),
  headers: {},
  model: endpoint.upstreamModelId,
}));

/** The call as it is made at the host. */
function callOf(
  { body = {}, model = 'gpt-5-pro', endpoint, provider = AT_OPENAI, reasoning = null }: Asked,
  onAdapted?: (name: string, adaptation: Adaptation) => void,
): UpstreamCall<unknown, 'chat'> {
  return {
    format: 'chat',
    body: { model, messages: [USER], ...body },
    reasoning,
    endpoint: demoEndpoint(model, { formats: ['responses'], ...endpoint }),
    provider: { ...openAiProvider(null), ...provider },
    region: null,
    credential: null,
    signal: new AbortController().signal,
    onFirstByte: () => undefined,
    tenancy: TENANCY,
    ...(onAdapted !== undefined && { onAdapted }),
  };
}

/** The request for a chat, and what of the chat is told to be sent otherwise. */
export async function requested(asked: Asked) {
  const adapted: Record<string, Adaptation> = {};
  const { call } = CODEC.fit(
    callOf(asked, (name, adaptation) => {
      adapted[name] = adaptation;
    }),
  );
  const { body } = await CODEC.request(call, asked.isStreamed ?? false);
  return { sent: body as JsonObject, adapted };
}

/** The items of the conversation that is sent. */
export async function inputOf(messages: ChatBody['messages'], asked: Asked = {}): Promise<unknown> {
  const { sent } = await requested({ ...asked, body: { ...asked.body, messages } });
  return sent.input;
}
