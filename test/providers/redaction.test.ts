import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { pushed } from '../../src/base/push-stream.js';
import { Redactor } from '../../src/byok/redaction/redactor.js';
import { normalizedOf, type UpstreamEvent } from '../../src/inference/ports/adapter.js';
import { UpstreamFailure } from '../../src/inference/ports/failure.js';
import { redactThrown } from '../../src/providers/redaction/redact-thrown.js';
import { redacting, redactJson } from '../../src/providers/redaction/redaction.js';
import { FAKE_API_KEY } from '../support/fakes/fake-openai.js';
import * as bedrock from './amazon-bedrock/adapter.fixture.js';
import * as openAi from './openai/adapter.fixture.js';

const KEY = FAKE_API_KEY;
const MARK = '[credential]';
const redactor = Redactor.of({ adapter: 'openai', apiKey: KEY });

async function originOf(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('a value without secrets is passed on as it is', () => {
  const choices = [
    {
      index: 0,
      message: { role: 'assistant', content: 'Hi', refusal: null, extra: { deep: [1, true, null, 'x'] } },
      finish_reason: 'stop',
      native_finish_reason: 'stop',
      logprobs: null,
    },
  ] as const;
  const answer = {
    format: 'chat',
    choices,
    usage: {},
    systemFingerprint: 'fp_44709d6fcb44709d6fcb',
  } as const;
  const events: UpstreamEvent[] = [
    { type: 'delta', index: 0, delta: { content: 'A long enough piece of text to be looked at' } },
    { type: 'delta', index: 0, delta: {}, logprobs: { content: [{ token: 'x', bytes: [1, 2, 3] }] } },
    { type: 'usage', usage: { promptTokens: 1 } },
  ];
  const play = async function* () {
    yield* events;
  };
  const adapter = redacting({ complete: async () => answer, stream: () => pushed(play()) });
  const call = openAi.callTo('http://127.0.0.1:9', 'm');

  it('an answer, its choices, each piece of a stream: the very objects', async () => {
    expect(await adapter.complete(call)).toBe(answer);
    const { events: told } = await openAi.eventsOf(adapter.stream(call));
    told.forEach((event, index) => {
      expect(event).toBe(events[index]);
    });
  });

  it('and an error is the very error', () => {
    const failure = new UpstreamFailure('No', { kind: 'auth', cause: new Error('why') });
    expect(redactThrown(failure, redactor)).toBe(failure);
    expect(redactThrown(undefined, redactor)).toBe(undefined);
  });
});

describe('JSON', () => {
  it('is redacted in names, in lists, in bytes, and keeps its order and its other values', () => {
    const json = {
      a: 1,
      [KEY]: [KEY, { x: `<${KEY}>` }],
      bytes: [...Buffer.from(KEY)],
      z: [1.5, false, null],
    };
    expect(JSON.stringify(redactJson(json, redactor))).toBe(
      JSON.stringify({
        a: 1,
        [MARK]: [MARK, { x: `<${MARK}>` }],
        bytes: [...Buffer.from(MARK)],
        z: [1.5, false, null],
      }),
    );
  });

  it('with a member called __proto__ stays data', () => {
    const told = redactJson(JSON.parse(`{"__proto__": {"a": "${KEY}"}}`), redactor);
    expect(JSON.stringify(told)).toBe(`{"__proto__":{"a":"${MARK}"}}`);
  });

  it('is malformed when it is nested too deeply', async () => {
    const nested = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`);
    expect(() => redactJson(nested, redactor)).toThrow(UpstreamFailure);
    expect(redactJson(JSON.parse(`${'['.repeat(400)}"${KEY}"${']'.repeat(400)}`), redactor)).toBeDefined();
  });
});

describe('an error', () => {
  it('is redacted wherever it repeats the provider, and keeps its class', () => {
    const cause = Object.assign(new Error(`caused by ${KEY}`), {
      code: 'HPE_INVALID',
      data: `HTTP/1.1 ${KEY}`,
      details: { header: KEY },
      cause: new TypeError(`deep down: ${btoa(KEY)}`),
    });
    const failure = new UpstreamFailure(`No: ${KEY}`, { kind: 'auth', status: 401, cause });
    const told = redactThrown(failure, redactor);
    expect(told).toBeInstanceOf(UpstreamFailure);
    expect(told).toMatchObject({
      name: 'UpstreamFailure',
      kind: 'auth',
      status: 401,
      message: `No: ${MARK}`,
    });
    expect(told).toMatchObject({
      cause: { code: 'HPE_INVALID', cause: { message: `deep down: ${MARK}g==` } },
    });
    const printed = inspect(told, { depth: 10, showHidden: true }) + JSON.stringify(told) + String(told);
    expect(printed).not.toContain(KEY);
    expect(printed).not.toContain(btoa(KEY));
  });

  it('of unreadable HTTP contains nothing of the response', async () => {
    const origin = await originOf(
      createServer((socket) => {
        socket.on('error', () => undefined);
        socket.once('data', (data) =>
          socket.end(`HTTP/1.1 200 OK\r\n${/Bearer.*/.exec(String(data))}\r\n\r\n`),
        );
      }),
    );
    const call = openAi.callTo(`${origin}/v1`, 'm');
    const failure = await openAi
      .startAdapter()
      .complete(call)
      .catch((thrown: unknown) => thrown);
    expect(failure).toMatchObject({ error: 'malformed' });
    expect(inspect(failure, { depth: 10, showHidden: true })).toContain(MARK);
    expect(inspect(failure, { depth: 10, showHidden: true })).not.toContain(KEY);
  });
});

describe('a signed request', () => {
  it('is never revealed, not even its signature, whatever member echoes it', async () => {
    const sent: string[] = [];
    const echo = ({ headers: { authorization = '' } }: IncomingMessage) => {
      sent.push(authorization);
      return {
        output: {
          message: {
            content: [{ text: `Well: ${authorization}` }, { toolUse: { toolUseId: authorization } }],
          },
        },
        stopReason: authorization,
      };
    };
    const server = createHttpServer((request, response) => response.end(JSON.stringify(echo(request))));
    const origin = await originOf(server);
    const answer = normalizedOf(await bedrock.startAdapter().complete(bedrock.callTo(origin)));
    const [signature = ''] = /[0-9a-f]{64}$/.exec(sent[0] ?? '') ?? [];
    expect(signature).toHaveLength(64);
    const [choice] = answer.choices;
    expect(choice?.message.content).toMatch(
      /^Well: AWS4-HMAC-SHA256 Credential=\[credential\]\/.*Signature=\[credential\]$/,
    );
    const told = JSON.stringify(answer);
    for (let at = 0; at + 16 <= signature.length; at += 1)
      expect(told).not.toContain(signature.slice(at, at + 16));
  });
});
