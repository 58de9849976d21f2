/** Amazon's and Cohere's models at Bedrock, over InvokeModel. */
import { list } from '../native/values.js';
import {
  type EmbeddingsHost,
  type EmbeddingsRule,
  rule,
  texts as sameTexts,
  tokensIn,
  unknownMembers,
} from './rule.js';

const TITAN = 'https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-titan-embed-text.md';
const COHERE_3 = 'https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed-v3.html';
const COHERE_4 = 'https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-embed-v4.html';
const REQUIRED = 'https://github.com/promptfoo/promptfoo/issues/921';

const malformed = (words: string) =>
  `Malformed input request: ${words}, please reformat your input and try again.`;

function extraneous(known: readonly string[], source: string, example: EmbeddingsRule['example']) {
  return unknownMembers(known, 'documented', source, example, (name) =>
    malformed(`#: extraneous key [${name}] is not permitted`),
  );
}

function oneOf(member: string, values: readonly unknown[], source: string, base: object): EmbeddingsRule {
  const example = { refused: { ...base, [member]: 'other' }, taken: { ...base, [member]: values[0] } };
  return rule(`values of ${member} that it does not know`, 'documented', source, example, (body) =>
    body[member] === undefined || values.includes(body[member])
      ? undefined
      : malformed(`#/${member}: ${String(body[member])} is not a valid enum value`),
  );
}

const TITAN_RULES: readonly EmbeddingsRule[] = [
  rule(
    'lists of texts',
    'reported',
    'https://github.com/BerriAI/litellm/issues/17850',
    { refused: { inputText: ['a'] }, taken: { inputText: 'a' } },
    ({ inputText }) =>
      typeof inputText === 'string'
        ? undefined
        : malformed(
            inputText === undefined
              ? '#: required key [inputText] not found'
              : '#/inputText: expected type: String, found: JSONArray',
          ),
  ),
  rule(
    'empty texts',
    'reported',
    'https://github.com/spring-projects/spring-ai/issues/788',
    { refused: { inputText: '' }, taken: { inputText: 'a' } },
    ({ inputText }) =>
      inputText === '' ? malformed('#/inputText: expected minLength: 1, actual: 0') : undefined,
  ),
  rule(
    'texts of more than 50,000 characters',
    'reported',
    'https://github.com/maximhq/bifrost/issues/3471',
    { refused: { inputText: 'a'.repeat(50_001) }, taken: { inputText: 'a' } },
    ({ inputText }) =>
      String(inputText).length > 50_000
        ? malformed(`expected maxLength: 50000, actual: ${String(inputText).length}`)
        : undefined,
  ),
  rule(
    'texts of more than 8,192 tokens',
    'reported',
    'https://github.com/aws-samples/amazon-bedrock-workshop/issues/136',
    { refused: { inputText: 'a'.repeat(8193) }, taken: { inputText: 'a'.repeat(8192) } },
    ({ inputText }) =>
      tokensIn([inputText]) > 8192
        ? `400 Bad Request: Too many input tokens. Max input tokens: 8192, request input token count: ${tokensIn([inputText])} `
        : undefined,
  ),
];

export const TITAN_1: EmbeddingsHost = {
  name: 'titan-1',
  model: 'amazon.titan-embed-text-v1',
  rules: [
    extraneous(['inputText'], TITAN, {
      refused: { inputText: 'a', dimensions: 256 },
      taken: { inputText: 'a' },
    }),
    ...TITAN_RULES,
  ],
};

export const TITAN_2: EmbeddingsHost = {
  name: 'titan-2',
  model: 'amazon.titan-embed-text-v2:0',
  rules: [
    extraneous(['inputText', 'dimensions', 'normalize', 'embeddingTypes'], TITAN, {
      refused: { inputText: 'a', input_type: 'search_query' },
      taken: { inputText: 'a', dimensions: 512, normalize: true },
    }),
    ...TITAN_RULES,
    oneOf('dimensions', [256, 512, 1024], TITAN, { inputText: 'a' }),
  ],
};

const INPUT_TYPES = ['search_document', 'search_query', 'classification', 'clustering'];

const cohere = (texts: readonly unknown[], more: object = {}) => ({
  texts,
  input_type: 'search_document',
  embedding_types: ['float'],
  ...more,
});

function cohereRules(source: string, inputTypes: readonly string[]): readonly EmbeddingsRule[] {
  return [
    rule(
      'requests that do not say what embeddings are for',
      'reported',
      REQUIRED,
      { refused: { texts: ['a'] }, taken: cohere(['a']) },
      ({ input_type }) =>
        input_type === undefined ? malformed('#: required key [input_type] not found') : undefined,
    ),
    oneOf('input_type', inputTypes, source, cohere(['a'])),
    rule(
      'more than 96 texts',
      'documented',
      source,
      { refused: cohere(sameTexts(97)), taken: cohere(sameTexts(96)) },
      ({ texts }) =>
        list(texts).length > 96
          ? malformed(`#/texts: expected maximum item count: 96, found: ${list(texts).length}`)
          : undefined,
    ),
    rule(
      'texts that are none',
      'documented',
      source,
      { refused: cohere([[15339]]), taken: cohere(['a']) },
      ({ texts }) =>
        list(texts).every((text) => typeof text === 'string')
          ? undefined
          : malformed('#/texts/0: expected type: String, found: JSONArray'),
    ),
    rule(
      'more than 8,192 characters together, where it is told to cut nothing',
      'reported',
      'https://github.com/run-llama/llama_index/issues/13376',
      {
        refused: cohere(sameTexts(5, 'a'.repeat(2000)), { truncate: 'NONE' }),
        taken: cohere(sameTexts(5, 'a'.repeat(2000))),
      },
      ({ texts, truncate }) =>
        truncate === 'NONE' && tokensIn(list(texts)) > 8192
          ? 'Input is too long for requested model.'
          : undefined,
    ),
  ];
}

export const COHERE_V3: EmbeddingsHost = {
  name: 'cohere-3',
  model: 'cohere.embed-multilingual-v3',
  rules: [
    extraneous(['texts', 'images', 'input_type', 'truncate', 'embedding_types'], COHERE_3, {
      refused: cohere(['a'], { output_dimension: 256 }),
      taken: cohere(['a'], { truncate: 'END' }),
    }),
    ...cohereRules(COHERE_3, [...INPUT_TYPES, 'image']),
    rule(
      'a text of more than 2,048 characters',
      'reported',
      'https://github.com/langgenius/dify/issues/3942',
      { refused: cohere(['a'.repeat(2049)]), taken: cohere(['a'.repeat(2048)]) },
      ({ texts }) => {
        const index = list(texts).findIndex((text) => String(text).length > 2048);
        return index < 0
          ? undefined
          : malformed(
              `#/texts/${index}: expected maxLength: 2048, actual: ${String(list(texts)[index]).length}`,
            );
      },
    ),
  ],
};

export const COHERE_V4: EmbeddingsHost = {
  name: 'cohere-4',
  model: 'us.cohere.embed-v4:0',
  rules: [
    extraneous(
      [
        'texts',
        'images',
        'inputs',
        'input_type',
        'truncate',
        'embedding_types',
        'output_dimension',
        'max_tokens',
      ],
      COHERE_4,
      { refused: cohere(['a'], { dimensions: 256 }), taken: cohere(['a'], { output_dimension: 256 }) },
    ),
    ...cohereRules(COHERE_4, INPUT_TYPES),
    oneOf('output_dimension', [256, 512, 1024, 1536], COHERE_4, cohere(['a'])),
  ],
};
