/** Own servers that say what they take only by refusing it: `docs/providers/README.md#conversations-that-are-learned-from`. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startFakeHost } from '../../support/fakes/fake-openai/hosts.js';
import type { FakePlan } from '../../support/fakes/fake-openai/plan.js';
import { generation, MODES, type ProvidersGateway, startProviders } from '../../support/providers.js';
import type { Row } from '../../support/rest.js';

type Message = { readonly role: string; readonly content?: unknown; readonly tool_calls?: readonly Row[] };
type Sent = { readonly messages: readonly Message[]; readonly [member: string]: unknown };

const says = (role: string, content: unknown = 'Hello'): Message => ({ role, content });
const CALLING: Message = {
  role: 'assistant',
  tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }],
};
const RESULT: Message = { ...says('tool', 'done'), ...{ tool_call_id: 'c1' } };
const LOOK = { type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } };

const isTurn = ({ role, tool_calls }: Message) =>
  role === 'user' || (role === 'assistant' && (tool_calls?.length ?? 0) === 0);
const alternates = (messages: readonly Message[]) =>
  messages.every(({ role }, at) => (role === 'user') === (at % 2 === 0));

const vllm = (message: string): FakePlan => ({
  status: 400,
  body: { object: 'error', message, type: 'BadRequestError', param: null, code: 400 },
});
const llama = (words: string, status = 500): FakePlan => ({
  status,
  body: { error: { code: status, message: `... Error: Jinja Exception: ${words}`, type: 'server_error' } },
});

const strictOf = (tools: unknown) => (tools as Row[]).map((one) => (one.function as Row).strict === true);

/** A server: its words, whether it takes a request, and requests that it refuses. */
interface Server {
  readonly refusal: FakePlan;
  readonly takes: (sent: Sent) => boolean;
  readonly refused: Partial<Sent>;
  /** What is told to be changed. */
  readonly adapted: readonly string[];
}

const inTurn = (messages: readonly Message[]) =>
  alternates((messages[0]?.role === 'system' ? messages.slice(1) : messages).filter(isTurn)) &&
  messages.every(({ role }, at) => role !== 'system' || at === 0);

const SERVERS: Readonly<Record<string, Server>> = {
  'Gemma 2 at vLLM, which has no system role': {
    refusal: vllm('System role not supported'),
    takes: ({ messages }) => messages.every(({ role }) => role !== 'system') && alternates(messages),
    refused: { messages: [says('system', 'Be brief'), says('user'), says('assistant'), says('user')] },
    adapted: ['messages'],
  },
  'Devstral at llama.cpp, whose roles must alternate': {
    refusal: llama(
      'After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results.',
    ),
    takes: ({ messages }) => inTurn(messages),
    refused: {
      messages: [says('system'), says('user', 'One'), says('user', 'Two'), CALLING, RESULT, says('user')],
      tools: [LOOK],
    },
    adapted: ['messages'],
  },
  'Qwen at vLLM, whose system message is the first': {
    refusal: vllm('System message must be at the beginning.'),
    takes: ({ messages }) => messages.every(({ role }, at) => role !== 'system' || at === 0),
    refused: { messages: [says('system'), says('user'), says('assistant'), says('system'), says('user')] },
    adapted: ['messages'],
  },
  'Qwen at Ollama, which calls that its own failure': {
    refusal: { status: 500, body: { error: { message: 'system message must be at the beginning' } } },
    takes: ({ messages }) => messages.every(({ role }, at) => role !== 'system' || at === 0),
    refused: { messages: [says('system'), says('system'), says('user')] },
    adapted: ['messages'],
  },
  'a model that thinks at llama.cpp, which begins its answers itself': {
    refusal: llama('Assistant response prefill is incompatible with enable_thinking.', 400),
    takes: ({ messages }) => messages.at(-1)?.role !== 'assistant',
    refused: { messages: [says('user'), says('assistant', 'Wrapping up:')] },
    adapted: ['messages'],
  },
  'arguments at vLLM, which reads those of the history': {
    refusal: vllm("Expecting ',' delimiter: line 1 column 54 (char 53)"),
    takes: ({ messages }) =>
      messages.every(({ tool_calls = [] }) =>
        tool_calls.every((call) => isJson(String((call.function as Row).arguments))),
      ),
    refused: {
      messages: [
        says('user'),
        {
          ...CALLING,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"a": "' } }],
        },
        RESULT,
      ],
      tools: [LOOK],
    },
    adapted: ['messages.tool_calls'],
  },
  'an older Ollama, whose contents are texts': {
    refusal: vllm(
      'json: cannot unmarshal array into Go struct field Message.messages.content of type string',
    ),
    takes: ({ messages }) => messages.every(({ content }) => !Array.isArray(content)),
    refused: {
      messages: [
        says('user', [
          { type: 'text', text: 'One' },
          { type: 'text', text: 'Two' },
        ]),
      ],
    },
    adapted: [],
  },
  'LM Studio, which can’t be told which tool to call': {
    refusal: {
      status: 400,
      body: { error: "Invalid tool_choice type: 'object'. Supported string values: none, auto, required" },
    },
    takes: ({ tool_choice }) => typeof tool_choice !== 'object',
    refused: {
      messages: [says('user')],
      tools: [LOOK, { type: 'function', function: { ...LOOK.function, name: 'other' } }],
      tool_choice: { type: 'function', function: { name: 'look' } },
    },
    adapted: ['tool_choice'],
  },
  'Cerebras behind a gateway, whose tools are all strict or none': {
    refusal: vllm(
      "Tools with mixed values for 'strict' are not allowed. Please set all tools to 'strict: true'",
    ),
    takes: ({ tools }) => new Set(strictOf(tools)).size === 1,
    refused: {
      messages: [says('user')],
      tools: [LOOK, { type: 'function', function: { ...LOOK.function, name: 'other', strict: true } }],
    },
    adapted: ['tools[1].function.strict'],
  },
  'a model without strict tools': {
    refusal: vllm('Tools with strict=True are not supported by this model'),
    takes: ({ tools }) => strictOf(tools).every((strict) => !strict),
    refused: {
      messages: [says('user')],
      tools: [{ type: 'function', function: { ...LOOK.function, strict: true } }],
    },
    adapted: ['tools[0].function.strict'],
  },
  'LM Studio, which has no JSON without a schema': {
    refusal: { status: 400, body: { error: "'response_format.type' must be 'json_schema' or 'text'" } },
    takes: ({ response_format }) => response_format === undefined,
    refused: { messages: [says('user')], response_format: { type: 'json_object' } },
    adapted: ['response_format'],
  },
  'a model without schemas at Groq': {
    refusal: {
      status: 400,
      body: { error: { message: 'This model does not support response format `json_schema`.' } },
    },
    takes: ({ response_format }) => (response_format as Row | undefined)?.type !== 'json_schema',
    refused: {
      messages: [says('user')],
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } },
    },
    adapted: ['response_format'],
  },
};

function isJson(text: string): boolean {
  try {
    return JSON.parse(text) !== undefined;
  } catch {
    return false;
  }
}

/** The address of these bytes. */
async function serveBytes(bytes: Buffer, type: string): Promise<string> {
  const server = createServer((_, response) => void response.setHeader('content-type', type).end(bytes));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/one.png`;
}

/** Servers of which nothing is known. */
const OWN_SERVERS = { startFake: () => startFakeHost('unknown') };

const sentTo = ({ alpha }: ProvidersGateway): Sent[] => alpha.requests.map(({ text }) => JSON.parse(text));

describe('a server that refuses a conversation is sent one that it takes, and is remembered', () => {
  it.each(
    Object.entries(SERVERS).flatMap(([name, server]) => MODES.map((mode) => [name, mode, server] as const)),
  )('%s, %s', async (_, mode, { refusal, takes, refused, adapted }) => {
    const gateway = await startProviders('BYOK keys', OWN_SERVERS);
    gateway.alpha.plan('m', refusal, {});
    const heard = await gateway.ask(mode, refused);
    expect(heard).toMatchObject({ status: 200, provider: 'alpha' });
    const { provider_responses } = await generation(gateway, heard);
    const told = (provider_responses as Row[]).map((one) => one.adapted ?? []);
    expect(told).toEqual([adapted]);
    expect(sentTo(gateway).map(takes)).toEqual([false, true]);
    expect(await gateway.ask(mode, refused)).toMatchObject({ status: 200, provider: 'alpha' });
    expect(sentTo(gateway).slice(2).map(takes)).toEqual([true]);
    const plain = { messages: [says('user', 'Plain')] };
    await gateway.ask(mode, plain);
    expect(sentTo(gateway).at(-1)).toMatchObject(plain);
    expect(await gateway.ask(mode, refused)).toMatchObject({ status: 200 });
    expect(sentTo(gateway).slice(-1).map(takes)).toEqual([true]);
  });

  it.each(MODES)('also in Messages, %s', async (mode) => {
    const gateway = await startProviders('BYOK keys', OWN_SERVERS);
    gateway.alpha.plan(
      'm',
      llama('Assistant response prefill is incompatible with enable_thinking.', 400),
      {},
    );
    const answer = await gateway.use('POST', '/messages', {
      model: 'test/m',
      max_tokens: 10,
      stream: mode === 'streamed',
      messages: [says('user'), says('assistant', 'Wrapping up:')],
    });
    expect([answer.status, answer.text.includes('Grüezi')]).toEqual([200, true]);
    const roles = sentTo(gateway).map(({ messages }) => messages.map(({ role }) => role));
    expect(roles).toEqual([
      ['user', 'assistant'],
      ['user', 'assistant', 'user'],
    ]);
  });

  it('media that an address names are fetched for a server that does not', async () => {
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      'base64',
    );
    const media = await serveBytes(png, 'image/png');
    const gateway = await startProviders('BYOK keys', { env: { BYWAY_ALLOW_PRIVATE_UPSTREAMS: '1' } });
    gateway.alpha.plan(
      'm',
      { status: 400, body: { error: "'url' field must be a base64 encoded image." } },
      {},
    );
    const image = { type: 'image_url', image_url: { url: media } };
    const heard = await gateway.ask('in one piece', { messages: [says('user', [image])] });
    expect(heard).toMatchObject({ status: 200, provider: 'alpha' });
    const urls = sentTo(gateway).map(({ messages }) => JSON.stringify(messages[0]?.content));
    expect(urls[0]).toContain(media);
    expect(urls[1]).toContain(`data:image/png;base64,${png.toString('base64')}`);
  });

  it('but not where the request itself says the words, nor where it must not be adapted', async () => {
    const words = 'System message must be at the beginning';
    const ask = async (more: object) => {
      const gateway = await startProviders('BYOK keys', OWN_SERVERS);
      for (const fake of [gateway.alpha, gateway.beta]) fake.plan('m', vllm(words), vllm(words));
      const heard = await gateway.ask('in one piece', more);
      return [heard.status, gateway.alpha.requests.length];
    };
    const messages = [says('system'), says('user', words), says('system')];
    expect(await ask({ messages })).toEqual([400, 1]);
    const others = [says('system'), says('user'), says('system')];
    expect(await ask({ messages: others, provider: { adapt: false } })).toEqual([400, 1]);
  });
});
