import type { MessageInitShape } from '@bufbuild/protobuf';
import { expect } from 'vitest';
import { EmbeddingService, type EmbeddingsRequestSchema } from '../../../../gen/byway/v1/embeddings_pb.js';
import { answers, by, type Case, fails } from '../case.js';

const { createEmbeddings } = EmbeddingService.method;

/** As it is written, not as a message that was made. */
type Embeddings = Omit<MessageInitShape<typeof EmbeddingsRequestSchema>, '$typeName' | '$unknown'>;

const model = 'test/embed';

/** A request with the account's API key. */
function embedded(request: Embeddings) {
  return { as: by.apiKey, ask: () => ({ request: { model, ...request } }) };
}

function list(...values: readonly EmbeddingForm[]): Embeddings['input'] & object {
  return { form: { case: 'list', value: { values: values.map((form) => ({ form })) } } };
}

type EmbeddingForm =
  | { readonly case: 'text'; readonly value: string }
  | { readonly case: 'token'; readonly value: number }
  | { readonly case: 'tokens'; readonly value: { readonly values: number[] } };

const hello: Embeddings['input'] & object = { form: { case: 'text', value: 'Hello there' } };

/** All forms of the members, and some that the contract does not name. */
const EVERYTHING: Embeddings = {
  models: { values: [model] },
  input: list({ case: 'text', value: 'Hello' }, { case: 'text', value: 'Hello there' }),
  encodingFormat: 'base64',
  dimensions: 2,
  inputType: 'search_query',
  user: 'somebody',
  extra: { priority: 1 },
};

export const EMBEDDINGS_CASES: readonly Case[] = [
  answers(createEmbeddings, 'a text', embedded({ input: hello, dimensions: 2 }), {
    object: 'list',
    model,
    data: [{ object: 'embedding', index: 0, embedding: [expect.any(Number), expect.any(Number)] }],
    usage: { prompt_tokens: 2, total_tokens: 2, cost: expect.any(Number) },
  }),
  answers(createEmbeddings, 'every form of a request', embedded(EVERYTHING), {
    data: [{ embedding: expect.any(String) }, { embedding: expect.any(String) }],
  }),
  answers(
    createEmbeddings,
    'the tokens of one text',
    embedded({ input: list({ case: 'token', value: 7 }) }),
    {
      data: [{ index: 0 }],
    },
  ),
  answers(
    createEmbeddings,
    'tokens',
    embedded({
      input: list({ case: 'tokens', value: { values: [7, 8] } }, { case: 'tokens', value: { values: [9] } }),
    }),
    { data: [{ index: 0 }, { index: 1 }] },
  ),
  fails(createEmbeddings, 'an unknown model', embedded({ input: hello, model: 'test/m' }), {
    status: 400,
    reason: 'unknown_model',
  }),
  fails(createEmbeddings, 'an empty text', embedded({ input: list({ case: 'text', value: '' }) }), {
    status: 400,
    violations: [{ rule: 'length' }],
  }),
];
