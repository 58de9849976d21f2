/** OpenAI, and hosts that copy its embeddings. */
import { list } from '../native/values.js';
import { type EmbeddingsHost, type EmbeddingsRule, rule, texts, tokensIn, unknownMembers } from './rule.js';

const MODEL = 'embed-1';

const bodyOf = (input: unknown, more: object = {}) => ({ model: MODEL, input, ...more });

function inputsIn(input: unknown): readonly unknown[] {
  if (typeof input === 'string') return [input];
  return typeof list(input)[0] === 'number' ? [input] : list(input);
}

export function maxInputs(
  most: number,
  sure: EmbeddingsRule['sure'],
  source: string,
  words: string,
): EmbeddingsRule {
  const example = { refused: bodyOf(texts(most + 1)), taken: bodyOf(texts(most)) };
  return rule(`more than ${most} inputs`, sure, source, example, ({ input }) =>
    inputsIn(input).length > most ? words : undefined,
  );
}

export function textsAlone(sure: EmbeddingsRule['sure'], source: string, more: object = {}): EmbeddingsRule {
  const example = { refused: bodyOf([[15339, 1917]], more), taken: bodyOf(['hello world'], more) };
  return rule('lists of tokens', sure, source, example, ({ input }) =>
    inputsIn(input).every((one) => typeof one === 'string') ? undefined : 'Input should be a valid string',
  );
}

function withoutType(source: string): EmbeddingsRule {
  const example = { refused: bodyOf('a', { input_type: 'search_query' }), taken: bodyOf('a') };
  return rule('input_type', 'assumed', source, example, ({ input_type }) =>
    input_type === undefined ? undefined : 'Unknown name "input_type": Cannot find field.',
  );
}

const OPENAI_REFERENCE = 'https://developers.openai.com/api/reference/resources/embeddings.md';

const OPENAI_RULES: readonly EmbeddingsRule[] = [
  unknownMembers(
    ['model', 'input', 'encoding_format', 'dimensions', 'user'],
    'documented',
    OPENAI_REFERENCE,
    {
      refused: bodyOf('a', { input_type: 'search_query' }),
      taken: bodyOf('a', { user: 'u', dimensions: 2 }),
    },
    (name) => `Unrecognized request argument supplied: ${name}`,
  ),
  rule(
    'empty inputs',
    'documented',
    OPENAI_REFERENCE,
    { refused: bodyOf(['a', '']), taken: bodyOf(['a', 'b']) },
    ({ input }) =>
      inputsIn(input).length === 0 || inputsIn(input).includes('') ? "'$.input' is invalid." : undefined,
  ),
  rule(
    'more than 300,000 tokens together',
    'documented',
    OPENAI_REFERENCE,
    { refused: bodyOf(texts(300, 'a'.repeat(1001))), taken: bodyOf(texts(300, 'a'.repeat(1000))) },
    ({ input }) =>
      tokensIn(inputsIn(input)) > 300_000
        ? `Requested ${tokensIn(inputsIn(input))} tokens, max 300000 tokens per request`
        : undefined,
  ),
  rule(
    'an input of more than 8,192 tokens',
    'reported',
    'https://github.com/vcmf/dim0/pull/143',
    { refused: bodyOf('a'.repeat(8193)), taken: bodyOf('a'.repeat(8192)) },
    ({ input }) => {
      const index = inputsIn(input).findIndex((one) => tokensIn([one]) > 8192);
      return index < 0 ? undefined : `Invalid 'input[${index}]': maximum input length is 8192 tokens.`;
    },
  ),
];

const openai: EmbeddingsHost = {
  name: 'openai',
  model: MODEL,
  rules: [
    maxInputs(2048, 'documented', OPENAI_REFERENCE, "'$.input' is invalid: at most 2048 inputs."),
    ...OPENAI_RULES,
  ],
};

const azure: EmbeddingsHost = {
  name: 'azure',
  model: MODEL,
  rules: [
    maxInputs(
      2048,
      'documented',
      'https://github.com/MicrosoftDocs/azure-docs/issues/121545',
      'Too many inputs. The max number of inputs is 2048.',
    ),
    ...OPENAI_RULES,
  ],
};

const ALIBABA = 'https://alibabacloud.com/help/en/model-studio/embedding-interfaces-compatible-with-openai';

const alibaba: EmbeddingsHost = {
  name: 'alibaba',
  model: MODEL,
  rules: [
    maxInputs(
      10,
      'reported',
      'https://github.com/zilliztech/claude-context/issues/177',
      '<400> InternalError.Algo.InvalidParameter: Value error, batch size is invalid, it should not be larger than 10.: input.contents',
    ),
    textsAlone('documented', ALIBABA),
    withoutType(ALIBABA),
  ],
};

const FIREWORKS =
  'https://docs.fireworks.ai/api-reference/creates-an-embedding-vector-representing-the-input-text.md';

const fireworks: EmbeddingsHost = {
  name: 'fireworks',
  model: MODEL,
  rules: [
    maxInputs(2048, 'documented', FIREWORKS, 'input must have at most 2048 items'),
    textsAlone('documented', FIREWORKS),
    withoutType(FIREWORKS),
  ],
};

const GEMINI = 'https://ai.google.dev/gemini-api/docs/openai';

const studio: EmbeddingsHost = {
  name: 'google-ai-studio',
  model: MODEL,
  rules: [
    maxInputs(
      100,
      'reported',
      'https://github.com/StarTrail-org/LEANN/pull/214',
      'BatchEmbedContentsRequest.requests: at most 100 requests can be in one batch',
    ),
    textsAlone('assumed', GEMINI),
    withoutType(GEMINI),
  ],
};

const mistral: EmbeddingsHost = {
  name: 'mistral',
  model: MODEL,
  rules: [
    maxInputs(
      512,
      'reported',
      'https://github.com/raphaelmansuy/edgequake-llm/pull/74',
      'Too many inputs in request, split into more batches.',
    ),
    rule(
      'more than 16,384 tokens together',
      'reported',
      'https://github.com/aurelio-labs/semantic-router/issues/297',
      { refused: bodyOf(texts(4, 'a'.repeat(4097))), taken: bodyOf(texts(4, 'a'.repeat(4096))) },
      ({ input }) =>
        tokensIn(inputsIn(input)) > 16_384
          ? `Too many tokens in batch. Max is 16384 got ${tokensIn(inputsIn(input))}`
          : undefined,
    ),
    textsAlone('documented', 'https://docs.mistral.ai/api/endpoint/embeddings'),
    unknownMembers(
      ['model', 'metadata', 'input', 'output_dimension', 'output_dtype', 'encoding_format'],
      'typed',
      'https://docs.rs/crate/mistral-openapi-client/latest/source/src/models/embedding_request.rs',
      { refused: bodyOf('a', { dimensions: 2 }), taken: bodyOf('a', { output_dimension: 2 }) },
      (name) => `Extra inputs are not permitted: ${name}`,
    ),
  ],
};

const ZHIPU =
  'https://docs.bigmodel.cn/api-reference/%E6%A8%A1%E5%9E%8B-api/%E6%96%87%E6%9C%AC%E5%B5%8C%E5%85%A5';

const zAi: EmbeddingsHost = {
  name: 'z-ai',
  model: MODEL,
  rules: [
    maxInputs(64, 'documented', ZHIPU, 'input数组最大不得超过64条'),
    textsAlone('documented', ZHIPU),
    withoutType(ZHIPU),
    rule(
      'numbers of dimensions other than 256, 512, 1024 and 2048',
      'documented',
      ZHIPU,
      { refused: bodyOf('a', { dimensions: 2 }), taken: bodyOf('a', { dimensions: 256 }) },
      ({ dimensions }) =>
        dimensions === undefined || [256, 512, 1024, 2048].includes(Number(dimensions))
          ? undefined
          : 'dimensions参数非法',
    ),
  ],
};

export const OPENAI_LIKE = { openai, azure, alibaba, fireworks, studio, mistral, zAi } as const;
