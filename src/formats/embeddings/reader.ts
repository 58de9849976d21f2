import type { Violation } from '../../base/problem.js';
import type { ChatMessage } from '../chat/types.js';
import type { UntranslatedRequest } from '../reading/untranslated.js';
import { type EmbeddingInput, inputsOf, isParts, isTokens, textOfParts } from './inputs.js';
import type { EmbeddingsBody } from './types.js';

const NEVER_TRANSLATED: readonly Violation[] = [
  {
    field: 'model',
    rule: 'unsupported',
    message:
      'needs an endpoint that makes embeddings, and none is left for this request: name a model whose output is embeddings (GET /embeddings/models), or send this one a request of its own API',
  },
];

/** Inputs of parts that are all texts are texts; tokens are in no message of the chat. */
export function readEmbeddings(sent: EmbeddingsBody): UntranslatedRequest<'embeddings'> {
  const { provider, models, route, cache, ...body } = sent;
  const { input, dimensions, encoding_format, input_type, ...members } = sent;
  const inputs = inputsOf(input);
  return {
    format: 'embeddings',
    // No tokens of an answer are reserved, or charged.
    chat: { ...members, max_tokens: 0, messages: inputs.flatMap(messageOf) },
    body: inputs.some(isParts) ? { ...body, input: inputs.map(plainInput) } : body,
    nativeOnly: NEVER_TRANSLATED,
    omitted: [],
    wantsOneModel: true,
  };
}

function messageOf(input: EmbeddingInput): ChatMessage[] {
  if (isTokens(input)) return [];
  return [
    { role: 'user', content: isParts(input) ? (input.content as ChatMessage['content'] & object) : input },
  ];
}

/** Not all hosts of texts take parts. */
function plainInput(input: EmbeddingInput): EmbeddingInput {
  return (isParts(input) ? textOfParts(input) : undefined) ?? input;
}
