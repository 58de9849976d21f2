/** Google's models at Vertex AI, over `predict` and `embedContent`. */
import { list, record, records } from '../native/values.js';
import { type EmbeddingsHost, type EmbeddingsRule, rule, tokensIn } from './rule.js';

const REFERENCE = 'https://cloud.google.com/vertex-ai/generative-ai/docs/model-reference/text-embeddings-api';
const GUIDE = 'https://cloud.google.com/vertex-ai/generative-ai/docs/embeddings/get-text-embeddings';

const TASK_TYPES = [
  'RETRIEVAL_QUERY',
  'RETRIEVAL_DOCUMENT',
  'SEMANTIC_SIMILARITY',
  'CLASSIFICATION',
  'CLUSTERING',
  'QUESTION_ANSWERING',
  'FACT_VERIFICATION',
  'CODE_RETRIEVAL_QUERY',
];

const MAX_TOKENS_OF_TEXT = 2048;
const MAX_TOKENS = 20_000;

const bodyOf = (contents: readonly unknown[], more: object = {}, parameters: object = {}) => ({
  instances: contents.map((content) => ({ content, ...more })),
  parameters,
});

const contents = (instances: unknown): readonly unknown[] => records(instances).map(({ content }) => content);

const COMMON: readonly EmbeddingsRule[] = [
  rule(
    'instances without a text',
    'documented',
    REFERENCE,
    { refused: bodyOf([['a']]), taken: bodyOf(['a']) },
    ({ instances }) =>
      contents(instances).length > 0 &&
      contents(instances).every((content) => typeof content === 'string' && content !== '')
        ? undefined
        : 'The text content is empty.',
  ),
  rule(
    'task types that it does not know',
    'typed',
    'https://cloud.google.com/python/docs/reference/vertexai/latest/vertexai.language_models.TextEmbeddingInput',
    {
      refused: bodyOf(['a'], { task_type: 'search_query' }),
      taken: bodyOf(['a'], { task_type: 'CLUSTERING' }),
    },
    ({ instances }) => {
      const unknown = records(instances).find(
        ({ task_type }) => task_type !== undefined && !TASK_TYPES.includes(String(task_type)),
      );
      return unknown === undefined ? undefined : `Unsupported task type: ${String(unknown.task_type)}`;
    },
  ),
  rule(
    'a text of more than 2,048 tokens, where nothing may be cut',
    'documented',
    GUIDE,
    {
      refused: bodyOf(['a'.repeat(MAX_TOKENS_OF_TEXT + 1)], {}, { autoTruncate: false }),
      taken: bodyOf(['a'.repeat(MAX_TOKENS_OF_TEXT)], {}, { autoTruncate: false }),
    },
    ({ instances, parameters }) => {
      const long = contents(instances).find((content) => tokensIn([content]) > MAX_TOKENS_OF_TEXT);
      return record(parameters).autoTruncate !== false || long === undefined
        ? undefined
        : tooLong(tokensIn([long]), MAX_TOKENS_OF_TEXT);
    },
  ),
  rule(
    'more than 20,000 tokens together',
    'documented',
    GUIDE,
    {
      refused: bodyOf(Array.from({ length: 11 }, () => 'a'.repeat(2000))),
      taken: bodyOf(['a'.repeat(2000)]),
    },
    ({ instances }) =>
      tokensIn(contents(instances)) > MAX_TOKENS
        ? tooLong(tokensIn(contents(instances)), MAX_TOKENS)
        : undefined,
  ),
];

/** The words are assumed to be those of other models of Google's: `docs/providers/README.md`. */
function tooLong(tokens: number, limit: number): string {
  return `Unable to submit request because the input token count is ${tokens} but model only supports up to ${limit}. Reduce the input token count and try again.`;
}

function dimensionsUpTo(most: number): EmbeddingsRule {
  return rule(
    `more than ${most} dimensions`,
    'documented',
    REFERENCE,
    {
      refused: bodyOf(['a'], {}, { outputDimensionality: most + 1 }),
      taken: bodyOf(['a'], {}, { outputDimensionality: most }),
    },
    ({ parameters }) =>
      Number(record(parameters).outputDimensionality ?? 1) > most
        ? `outputDimensionality must be between 1 and ${most}`
        : undefined,
  );
}

export const VERTEX_GEMINI: EmbeddingsHost = {
  name: 'vertex-gemini',
  model: 'gemini-embedding-001',
  rules: [
    rule(
      'two instances',
      'reported',
      'https://github.com/RooCodeInc/Roo-Code/issues/5123',
      { refused: bodyOf(['a', 'b']), taken: bodyOf(['a']) },
      ({ instances }) =>
        records(instances).length > 1
          ? `Unable to submit request because it included too many instances. batchSize must be 1 but the entered value was ${records(instances).length}.`
          : undefined,
    ),
    ...COMMON,
    dimensionsUpTo(3072),
  ],
};

export const VERTEX_TEXT: EmbeddingsHost = {
  name: 'vertex-text',
  model: 'text-embedding-005',
  rules: [
    rule(
      'more than 250 instances',
      'documented',
      GUIDE,
      {
        refused: bodyOf(Array.from({ length: 251 }, () => 'a')),
        taken: bodyOf(Array.from({ length: 250 }, () => 'a')),
      },
      ({ instances }) =>
        records(instances).length > 250
          ? `250 instance(s) is allowed per prediction. Actual: ${records(instances).length}`
          : undefined,
    ),
    ...COMMON,
    dimensionsUpTo(768),
  ],
};

const EMBED_CONTENT =
  'https://docs.cloud.google.com/gemini-enterprise-agent-platform/reference/rest/v1beta1/projects.locations.publishers.models/embedContent';

const contentOf = (text: unknown, config: object = {}) => ({
  content: { role: 'user', parts: [{ text }] },
  embedContentConfig: config,
});

const textIn = (content: unknown): unknown => record(list(record(content).parts)[0]).text;

export const VERTEX_GEMINI_2: EmbeddingsHost = {
  name: 'vertex-gemini-2',
  model: 'gemini-embedding-2',
  rules: [
    rule(
      'bodies of predict',
      'reported',
      'https://github.com/agentgateway/agentgateway/pull/2968',
      { refused: bodyOf(['a']), taken: contentOf('a') },
      (body) =>
        Object.keys(body).every((name) => name === 'content' || name === 'embedContentConfig') &&
        typeof textIn(body.content) === 'string' &&
        textIn(body.content) !== ''
          ? undefined
          : 'Precondition check failed.',
    ),
    rule(
      'task types that it does not know',
      'documented',
      EMBED_CONTENT,
      {
        refused: contentOf('a', { taskType: 'search_query' }),
        taken: contentOf('a', { taskType: 'CLUSTERING' }),
      },
      ({ embedContentConfig }) => {
        const { taskType } = record(embedContentConfig);
        return taskType === undefined || TASK_TYPES.includes(String(taskType))
          ? undefined
          : `Invalid value at 'embed_content_config.task_type': ${String(taskType)}`;
      },
    ),
    rule(
      'more than 3072 dimensions',
      'reported',
      'https://github.com/vectorize-io/hindsight/pull/2087',
      {
        refused: contentOf('a', { outputDimensionality: 3073 }),
        taken: contentOf('a', { outputDimensionality: 3072 }),
      },
      ({ embedContentConfig }) =>
        Number(record(embedContentConfig).outputDimensionality ?? 1) > 3072
          ? 'outputDimensionality must be between 1 and 3072'
          : undefined,
    ),
    rule(
      'a text of more than 8,192 tokens, where nothing may be cut',
      'reported',
      'https://github.com/Mintplex-Labs/anything-llm/issues/6136',
      {
        refused: contentOf('a'.repeat(8193), { autoTruncate: false }),
        taken: contentOf('a'.repeat(8192), { autoTruncate: false }),
      },
      ({ content, embedContentConfig }) => {
        const text = String(textIn(content));
        return record(embedContentConfig).autoTruncate === false && text.length > 8192
          ? tooLong(text.length, 8192)
          : undefined;
      },
    ),
  ],
};
