import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PLATFORMS, type Platform, type PlatformsGateway } from '../../support/platforms.js';
import { answerTo, launchToolChats, MODES, USER } from './tool-chats.js';

let gateway: PlatformsGateway;

beforeAll(async () => {
  gateway = await launchToolChats();
});
afterAll(() => gateway.stop());

function chat(platform: Platform, body: object, stream: boolean) {
  return answerTo(gateway, platform, body, stream);
}

/** No number of JavaScript holds them. */
const DIGITS = ['12345678901234567890', '-9223372036854775807', '9007199254740993'];
const EXACT = `{"ids":[${DIGITS.join(',')}],"n":1.5}`;

/** An answer in which the host has the arguments of the call as an object, whole or as the chunks of a stream. */
function exactPlan({ slug, fake }: Platform, stream: boolean, path = 'chat'): object {
  const usage = { inputTokens: 1, outputTokens: 1 };
  const called = { type: 'tool_use', id: 'toolu_1', name: 'weather', input: EXACT };
  const raw = (value: object) => JSON.stringify(value).replaceAll(JSON.stringify(EXACT), EXACT);
  if (slug === 'vertex-gemini') {
    const parts = [{ functionCall: { name: 'weather', args: EXACT } }];
    const answer = raw({ candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] });
    return stream ? { chunks: [answer] } : { answer };
  }
  if (fake === 'bedrock' && path === 'chat') {
    const message = {
      role: 'assistant',
      content: [{ toolUse: { toolUseId: 't', name: 'weather', input: EXACT } }],
    };
    return { answer: raw({ output: { message }, stopReason: 'tool_use', usage }) };
  }
  if (fake === 'anthropic' || fake === 'bedrock' || slug === 'vertex-claude') {
    const head = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_sequence: null };
    const counts = { usage: { input_tokens: 1, output_tokens: 1 } };
    const answer = raw({ ...head, content: [called], stop_reason: 'tool_use', ...counts });
    return { answer };
  }
  const tool_calls = [
    { index: 0, id: 'a', type: 'function', function: { name: 'weather', arguments: EXACT } },
  ];
  const choice = { index: 0, finish_reason: 'tool_calls' };
  if (stream) return { chunks: [raw({ choices: [{ ...choice, delta: { tool_calls } }] })] };
  return { answer: raw({ choices: [{ ...choice, message: { content: null, tool_calls } }] }) };
}

const OBJECTS = PLATFORMS.filter(({ slug }) =>
  ['openai', 'anthropic', 'bedrock-key', 'vertex-gemini', 'vertex-claude'].includes(slug),
);

describe.each(MODES)('integers beyond 2^53 in arguments, %s', (_, stream) => {
  // The others have text in streams, which passes.
  const hosts = OBJECTS.filter(({ slug }) => !stream || ['openai', 'vertex-gemini'].includes(slug));

  it.each(hosts)(
    '$slug: an object reaches clients of chats and of Messages digit by digit',
    async (platform) => {
      gateway.plan(platform, 'm', exactPlan(platform, stream));
      const { tool_calls } = await chat(platform, { messages: USER }, stream);
      expect(tool_calls?.map((call) => call.function.arguments)).toEqual([EXACT]);
      const request = { model: `${platform.slug}/m`, max_tokens: 4_096, messages: USER, stream };
      gateway.plan(platform, 'm', exactPlan(platform, stream, 'messages'));
      const { text: body } = await gateway.use('POST', '/messages', request);
      const inputs = stream
        ? [...body.matchAll(/"partial_json":("(?:[^"\\]|\\.)*")/g)]
            .map(([, piece = '""']) => JSON.parse(piece))
            .join('')
        : body;
      expect(inputs).toContain(EXACT);
    },
  );

  it.each(OBJECTS)('$slug: is sent the arguments of clients digit by digit', async (platform) => {
    gateway.plan(platform, 'm', {});
    const call = { id: 'toolu_1', type: 'function', function: { name: 'weather', arguments: EXACT } };
    const result = { role: 'tool', tool_call_id: 'toolu_1', content: EXACT };
    await chat(
      platform,
      { messages: [...USER, { role: 'assistant', content: null, tool_calls: [call] }, result] },
      stream,
    );
    const chats = latestText(platform);
    const used = `{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"weather","input":${EXACT}}]}`;
    const answered =
      '{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"1"}]}';
    const body = `{"model":"${platform.slug}/m","max_tokens":4096,"stream":${stream},"messages":[${JSON.stringify(USER[0])},${used},${answered}],"tools":[{"name":"weather","input_schema":{"type":"object"}}]}`;
    expect((await gateway.use('POST', '/messages', body)).status).toBe(200);
    for (const sent of [chats, latestText(platform)]) {
      for (const digits of DIGITS) expect(sent).toContain(digits);
    }
  });
});

/** The latest request that the platform's provider received, as it came. */
function latestText({ fake }: Platform): string {
  return gateway.fakes[fake].requests.at(-1)?.text ?? '';
}
