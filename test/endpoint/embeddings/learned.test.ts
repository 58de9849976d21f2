/** What hosts of embeddings refuse is learned from: `docs/routing.md#adapting-to-refusals`. */
import { describe, expect, it } from 'vitest';
import { type EmbeddingPlan, vectorOfInput } from '../../support/fakes/fake-embedding-host.js';
import { bodyOf } from '../../support/rest.js';
import { list, record } from '../../support/strict/native/values.js';
import { startQuirky, vectorsIn } from './embeddings.fixture.js';

describe('a host that refuses to be asked for numbers', () => {
  it.each([
    ['OpenAI', "Unsupported parameter: 'encoding_format' is not supported with this model."],
    ['Jina', "extra fields not permitted: ['encoding_format']"],
    [
      'LiteLLM',
      "litellm.UnsupportedParamsError: vertex_ai does not support parameters: {'encoding_format': 'float'}",
    ],
  ])('in the words of %s is not asked again, and clients get either form', async (_, words) => {
    const { embed, host } = await startQuirky({}, { refuses: refusesEncoding(words) });
    for (const encoding_format of [undefined, 'float', 'base64']) {
      const answer = await embed({ input: ['a', 'b'], encoding_format });
      expect([answer.status, answer.headers['x-byway-adapted']]).toEqual([200, undefined]);
      expect(vectorsIn(bodyOf(answer)).map(numbersOf)).toEqual([vectorOfInput('a'), vectorOfInput('b')]);
    }
    expect(host.calls.map(({ body }) => body.encoding_format)).toEqual([
      'float',
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('for its value alone is asked anew by each request', async () => {
    const words =
      "Value 'float' supplied for argument 'encoding_format' is not valid -- accepted values are 'base64'.";
    const { embed, host } = await startQuirky({}, { refuses: refusesEncoding(words) });
    expect((await embed()).status).toBe(200);
    expect((await embed()).status).toBe(200);
    expect(host.calls).toHaveLength(4);
  });
});

describe('a host that takes fewer inputs than it is sent', () => {
  it.each([
    ['text-embeddings-inference', 413, 'batch size 40 > maximum allowed batch size 32', 32],
    ['SiliconFlow', 413, 'input batch size 40 > maximum allowed batch size 32', 32],
    [
      'Alibaba',
      400,
      '<400> InternalError.Algo.InvalidParameter: Value error, batch size is invalid, it should not be larger than 10.: input.contents',
      10,
    ],
    ['Azure', 400, 'Too many inputs. The max number of inputs is 16. We hope to increase it soon.', 16],
    [
      'Google AI Studio',
      400,
      '* BatchEmbedContentsRequest.requests: at most 8 requests can be in one batch',
      8,
    ],
    ['Cohere', 400, 'invalid request: total number of texts must be at most 9 - received 40', 9],
    ['Jina', 400, "Validation error: 'body' Each input list can contain at most 12 items.", 12],
    ['pydantic', 422, 'List should have at most 32 items after validation, not 40', 32],
    ['Vertex AI', 400, '5 instance(s) is allowed per prediction. Actual: 40', 5],
    ['Vertex AI, of one', 400, 'batchSize must be 1 but the entered value was 40.', 1],
    [
      'Vertex AI, of its model',
      400,
      'a batchSize value of 40 but the supported range is from 1 (inclusive) to 26 (exclusive).',
      25,
    ],
  ])('in the words of %s is sent so many from then on', async (_, status, words, most) => {
    const { embed, host } = await startQuirky(
      {},
      { refuses: refusesMore(most, words), refusalStatus: status },
    );
    const input = Array.from({ length: 40 }, (_, index) => `text ${index}`);
    for (let request = 0; request < 2; request += 1) {
      const answer = await embed({ input });
      expect([answer.status, answer.headers['x-byway-adapted']]).toEqual([200, undefined]);
      expect(vectorsIn(bodyOf(answer))).toEqual(input.map((text) => vectorOfInput(text)));
      expect(bodyOf(answer).usage).toMatchObject({ prompt_tokens: input.join('').length });
    }
    const sent = host.calls.map(({ body }) => list(body.input).length);
    expect(sent).toHaveLength(1 + 2 * Math.ceil(40 / most));
    expect(Math.max(...sent.slice(1))).toBe(most);
  });

  it('is believed in no words that the inputs themselves contain', async () => {
    const words = 'maximum allowed batch size 1';
    const { embed, host } = await startQuirky({}, { refuses: () => `I can't embed: ${words}` });
    expect((await embed({ input: ['a', words] })).status).toBe(400);
    expect(host.calls).toHaveLength(1);
  });
});

describe('a text that is longer than the model takes is context_length_exceeded', () => {
  it.each([
    ['text-embeddings-inference', 413, '`inputs` must have less than 512 tokens. Given: 534', 512, 534],
    [
      'its older ones',
      413,
      'Input validation error: `inputs` must have less than 512 tokens. Given: 534',
      512,
      534,
    ],
    [
      'its bound of characters',
      413,
      '`inputs` must have less than 32000 characters. Given: 67337',
      null,
      null,
    ],
    ['SiliconFlow', 413, 'input must have less than 512 tokens', 512, null],
    [
      'llama.cpp',
      500,
      'input (596 tokens) is too large to process. increase the physical batch size (current batch size: 512)',
      512,
      596,
    ],
    ['its older ones', 500, 'input is too large to process. increase the physical batch size', null, null],
    ['llama-box', 500, 'input is too large to process, please increase the physical batch size', null, null],
    [
      'llama-box of today',
      400,
      'Illegal param: prefill 744 tokens exceed n_ctx_per_seq, try increasing total context size',
      null,
      744,
    ],
    ['NVIDIA', 400, 'Input length 851 exceeds maximum allowed token size 512', 512, 851],
    [
      'vLLM',
      400,
      "This model's maximum context length is 512 tokens. However, you requested 600 tokens in the input for embedding generation. Please reduce the length of the input.",
      512,
      600,
    ],
  ])('in the words of %s (%i): %s', async (_, status, words, limit, tokens) => {
    const { embed, host } = await startQuirky({}, { refuses: () => words, refusalStatus: status });
    const answer = await embed({ input: 'a'.repeat(900) });
    expect([answer.status, bodyOf(answer).error]).toMatchObject([
      400,
      {
        type: 'invalid_request_error',
        param: 'input',
        metadata: {
          reason: 'context_length_exceeded',
          ...(limit !== null && { context_length: limit }),
          ...(tokens !== null && { prompt_tokens: tokens }),
        },
      },
    ]);
    expect(host.calls).toHaveLength(1);
  });
});

type Refuses = NonNullable<EmbeddingPlan['refuses']>;

function refusesEncoding(words: string): Refuses {
  return (body) => (record(body).encoding_format === undefined ? undefined : words);
}

function refusesMore(most: number, words: string): Refuses {
  return (body) => (list(record(body).input).length > most ? words : undefined);
}

function numbersOf(vector: unknown): unknown {
  if (typeof vector !== 'string') return vector;
  const bytes = Buffer.from(vector, 'base64');
  return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
}
