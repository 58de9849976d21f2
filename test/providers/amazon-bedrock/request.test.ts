import { describe, expect, it } from 'vitest';
import type { BedrockCredential } from '../../../src/byok/kinds/amazon-bedrock.js';
import { modelUrl } from '../../../src/providers/amazon-bedrock/host/url.js';
import { FAKE_API_KEY } from '../../support/fakes/fake-bedrock.js';
import { API_KEY, bedrockProvider, bodyFor, callTo, LLAMA, startTable } from './adapter.fixture.js';

describe('where chats go (base_url replaces scheme and host)', () => {
  it.each([
    [null, 'eu-west-1', 'https://bedrock-runtime.eu-west-1.amazonaws.com/model/m/converse'],
    [null, 'cn-north-1', 'https://bedrock-runtime.cn-north-1.amazonaws.com.cn/model/m/converse'],
    ['http://127.0.0.1:8000', 'eu-west-1', 'http://127.0.0.1:8000/model/m/converse'],
    ['https://{region}.host/base/?x=1', 'eu-west-1', 'https://eu-west-1.host/base/model/m/converse'],
  ])('%s in %s: %s', (baseUrl, region, url) => {
    const call = { ...callTo('', { model: 'm', region }), provider: bedrockProvider(baseUrl) };
    expect(modelUrl(call, 'converse').href).toBe(url);
  });

  it('a model’s id is one segment of the path', () => {
    const arn = 'arn:aws:bedrock:us-east-1:1:inference-profile/us.x-v1:0';
    const call = { ...callTo('', { model: arn }), provider: bedrockProvider(null) };
    expect(modelUrl(call, 'converse-stream').pathname).toBe(
      '/model/arn%3Aaws%3Abedrock%3Aus-east-1%3A1%3Ainference-profile%2Fus.x-v1%3A0/converse-stream',
    );
  });

  it.each([
    [null, null, 'us-east-1'],
    [null, 'eu-central-1', 'eu-central-1'],
    ['ap-south-1', 'eu-central-1', 'ap-south-1'],
  ])(
    'in the region that routing says, else where the credential leads (%s, %s)',
    async (region, own, called) => {
      const { fake, adapter, call } = await startTable();
      const credential: BedrockCredential = {
        adapter: 'amazon-bedrock',
        kind: 'api_key',
        apiKey: 'k',
        region: own,
      };
      const { provider, ...rest } = call({ credential, region });
      const regional = { ...rest, provider: { ...provider, baseUrl: fake.regionalBaseUrl } };
      await adapter.complete(regional).catch(() => undefined);
      expect(fake.requests[0]?.region).toBe(called);
    },
  );
});

describe('the response format', () => {
  const schema = { type: 'object', properties: { a: { type: 'integer', minimum: 3 } } };
  const pending = {
    response_format: { type: 'json_schema', json_schema: { name: 'n', description: 'd', schema } },
  };

  it('is a schema where the model takes one, with the supported keywords', () => {
    const { outputConfig, system } = bodyFor(pending);
    expect(outputConfig).toMatchObject({
      textFormat: { type: 'json_schema', structure: { jsonSchema: { name: 'n', description: 'd' } } },
    });
    expect(JSON.stringify(outputConfig)).toContain('additionalProperties');
    expect(system).toBeUndefined();
    const qwen = bodyFor(pending, {
      model: 'qwen.qwen3',
      endpoint: { supportedParameters: ['structured_outputs'] },
    });
    expect(qwen.outputConfig).toMatchObject({
      textFormat: { structure: { jsonSchema: { schema: JSON.stringify(schema) } } },
    });
  });

  it('is an instruction where the model takes no schema, or there is none', () => {
    expect(bodyFor(pending, { model: LLAMA })).toMatchObject({
      system: [{ text: expect.stringContaining(JSON.stringify(schema)) }],
    });
    expect(bodyFor({ response_format: { type: 'json_object' } }).system).toEqual([
      { text: expect.stringMatching(/one JSON object/) },
    ]);
    expect(bodyFor({ response_format: { type: 'text' } }).system).toBeUndefined();
  });
});

describe('what else is sent:', () => {
  it('Converse’s own members, and none that it does not know', () => {
    const own = {
      guardrailConfig: { guardrailIdentifier: 'g', guardrailVersion: '1' },
      requestMetadata: { team: 'a' },
      additionalModelRequestFields: { top_k: 1, anthropic_beta: ['x'] },
    };
    const foreign = {
      reasoning: { effort: 'high' },
      reasoning_effort: 'high',
      include_reasoning: true,
      provider: {},
      models: ['x'],
      seed: 1,
      n: 2,
      user: 'u',
      stream: true,
      logit_bias: null,
      whatever: 1,
    };
    const { messages, ...rest } = bodyFor({ ...own, ...foreign, top_k: 2 } as object);
    expect(rest).toEqual(own);
  });

  it.each([
    ['in one piece', 'application/json'],
    ['streamed', 'application/vnd.amazon.eventstream'],
  ])('these headers and no others, %s', async (mode, accept) => {
    const { fake, complete, stream } = await startTable();
    for (const options of [{}, { credential: API_KEY }])
      await (mode === 'streamed' ? stream(options) : complete(options));
    const common = {
      accept,
      'accept-encoding': 'identity',
      'content-type': 'application/json',
      'user-agent': 'byway',
    };
    const sent = fake.requests.map(({ headers }) => {
      const { host, connection, 'content-length': length, ...rest } = headers;
      return rest;
    });
    const SIGNED =
      /^AWS4-HMAC-SHA256 Credential=\w+\/20260105\/us-east-1\/bedrock\/aws4_request, SignedHeaders=content-type;host;x-amz-content-sha256;x-amz-date, Signature=[0-9a-f]{64}$/;
    expect(sent).toEqual([
      {
        ...common,
        authorization: expect.stringMatching(SIGNED),
        'x-amz-date': '20260105T123000Z',
        'x-amz-content-sha256': expect.stringMatching(/^[0-9a-f]{64}$/),
      },
      { ...common, authorization: `Bearer ${FAKE_API_KEY}` },
    ]);
  });
});
