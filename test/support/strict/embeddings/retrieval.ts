/** Hosts that tell queries from what is searched, or are asked for numbers in other words than OpenAI. */
import { list } from '../native/values.js';
import { maxInputs, textsAlone } from './openai.js';
import { type EmbeddingsHost, type EmbeddingsRule, rule, texts, tokensIn, unknownMembers } from './rule.js';

const MODEL = 'embed-1';

const bodyOf = (input: unknown, more: object = {}) => ({ model: MODEL, input, ...more });

function words(
  member: string,
  known: readonly string[],
  sure: EmbeddingsRule['sure'],
  source: string,
  said: string,
): EmbeddingsRule {
  const example = {
    refused: bodyOf('a', { [member]: 'search_query' }),
    taken: bodyOf('a', { [member]: known[0] }),
  };
  return rule(`words of ${member} other than its own`, sure, source, example, (body) =>
    body[member] === undefined || known.includes(String(body[member])) ? undefined : said,
  );
}

const JINA_ENCODING = 'https://github.com/QuantumNous/new-api/issues/1941';
const JINA_TASKS = 'https://github.com/run-llama/llama_index/pull/15971';

const jina: EmbeddingsHost = {
  name: 'jina',
  model: MODEL,
  rules: [
    unknownMembers(
      ['model', 'input', 'task', 'dimensions', 'late_chunking', 'embedding_type', 'normalized', 'truncate'],
      'reported',
      JINA_ENCODING,
      { refused: bodyOf('a', { encoding_format: 'float' }), taken: bodyOf('a', { dimensions: 2 }) },
      (name) => `extra fields not permitted: ['${name}']`,
    ),
    words(
      'task',
      ['retrieval.query', 'retrieval.passage', 'text-matching', 'classification', 'separation'],
      'reported',
      JINA_TASKS,
      "Input should be 'retrieval.query', 'retrieval.passage', 'text-matching', 'classification' or 'separation'",
    ),
    maxInputs(
      512,
      'reported',
      'https://github.com/langgenius/dify-official-plugins/issues/1997',
      "Validation error: 'body -> embed-1' Each input list can contain at most 512 items.",
    ),
    textsAlone('assumed', JINA_TASKS),
  ],
};

const VOYAGE =
  'https://www.mongodb.com/docs/api/doc/atlas-embedding-and-reranking-api/operation/operation-createembedding';
const VOYAGE_ENCODING = 'https://github.com/vectorize-io/hindsight/issues/925';

const voyage: EmbeddingsHost = {
  name: 'voyage',
  model: MODEL,
  rules: [
    rule(
      'numbers that are asked for by name',
      'reported',
      VOYAGE_ENCODING,
      {
        refused: bodyOf('a', { encoding_format: 'float' }),
        taken: bodyOf('a', { encoding_format: 'base64' }),
      },
      ({ encoding_format }) =>
        encoding_format === undefined || encoding_format === 'base64'
          ? undefined
          : `Value '${String(encoding_format)}' supplied for argument 'encoding_format' is not valid -- accepted values are 'base64'.`,
    ),
    unknownMembers(
      ['model', 'input', 'input_type', 'truncation', 'output_dimension', 'output_dtype', 'encoding_format'],
      'reported',
      'https://github.com/garrytan/gbrain/pull/735',
      { refused: bodyOf('a', { dimensions: 2 }), taken: bodyOf('a', { output_dimension: 2 }) },
      (name) => `Argument '${name}' is not supported by our API`,
    ),
    words(
      'input_type',
      ['query', 'document'],
      'documented',
      VOYAGE,
      "Value supplied for argument 'input_type' is not valid -- accepted values are 'query', 'document'.",
    ),
    maxInputs(1000, 'documented', VOYAGE, 'The batch size limit is 1000.'),
    rule(
      'more than 120,000 tokens together',
      'reported',
      'https://github.com/ramakay/claude-self-reflect/issues/38',
      { refused: bodyOf(texts(2, 'a'.repeat(60_001))), taken: bodyOf(texts(2, 'a'.repeat(60_000))) },
      ({ input }) =>
        tokensIn(typeof input === 'string' ? [input] : list(input)) > 120_000
          ? 'The max allowed tokens per submitted batch is 120000. Please lower the number of tokens in the batch.'
          : undefined,
    ),
    textsAlone('documented', VOYAGE),
  ],
};

const NIM = 'https://docs.nvidia.com/nim/nemo-retriever/text-embedding/1.5.0/reference.html';

const nvidia: EmbeddingsHost = {
  name: 'nvidia',
  model: MODEL,
  rules: [
    rule(
      'requests that do not say what they are for',
      'reported',
      'https://github.com/decolua/9router/issues/1378',
      { refused: bodyOf('a'), taken: bodyOf('a', { input_type: 'query' }) },
      ({ input_type }) =>
        input_type === undefined ? "'input_type' parameter is required for asymmetric models" : undefined,
    ),
    words('input_type', ['query', 'passage'], 'documented', NIM, "Input should be 'query' or 'passage'"),
    textsAlone('documented', NIM, { input_type: 'query' }),
  ],
};

const SILICONFLOW = 'https://github.com/apecloud/ApeRAG/issues/716';

const siliconflow: EmbeddingsHost = {
  name: 'siliconflow',
  model: MODEL,
  rules: [
    maxInputs(
      64,
      'reported',
      SILICONFLOW,
      'input batch size is larger than the maximum allowed batch size 64',
    ),
    textsAlone('assumed', SILICONFLOW),
  ],
};

const DEEPINFRA = 'https://github.com/langchain-ai/langchain/issues/21188';

const deepinfra: EmbeddingsHost = {
  name: 'deepinfra',
  model: MODEL,
  rules: [
    maxInputs(1024, 'reported', DEEPINFRA, 'List should have at most 1024 items after validation'),
    textsAlone('assumed', DEEPINFRA),
  ],
};

export const RETRIEVAL = { jina, voyage, nvidia, siliconflow, deepinfra } as const;
