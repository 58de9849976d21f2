/** Embeddings: `predictions[].embeddings` with values and statistics, one for each instance; or `embedding` of a content. */
import { embeddingsRefusal } from '../../strict/embeddings/rule.js';
import { VERTEX_GEMINI, VERTEX_GEMINI_2, VERTEX_TEXT } from '../../strict/embeddings/vertex.js';
import { list, record, records } from '../../strict/native/values.js';
import { vectorOfInput } from '../fake-embedding-host.js';

export function predictViolation(model: string, body: object): string | undefined {
  if (model.startsWith(VERTEX_GEMINI_2.model)) return 'Precondition check failed.';
  return embeddingsRefusal(isGemini(model) ? VERTEX_GEMINI : VERTEX_TEXT, body);
}

/** A character is a token. Fewer dimensions than a model has do not make Gemini's vectors of length 1. */
export function predictions(model: string, body: object): object {
  const { instances, parameters } = record(body);
  const dimensions = Number(record(parameters).outputDimensionality ?? (isGemini(model) ? 3072 : 768));
  return {
    predictions: records(instances).map(({ content }) => ({
      embeddings: {
        values: vectorOfInput(content, dimensions),
        statistics: { token_count: String(content).length, truncated: false },
      },
    })),
    metadata: { billableCharacterCount: 4711 },
  };
}

/** Of one content, whose parts are one input: https://github.com/googleapis/python-genai/issues/2165 (2026-11-26). */
export function embedContentViolation(model: string, body: object): string | undefined {
  return model.startsWith(VERTEX_GEMINI_2.model)
    ? embeddingsRefusal(VERTEX_GEMINI_2, body)
    : `${model} has no embedContent`;
}

export function embeddedContent(body: object): object {
  const { content, embedContentConfig } = record(body);
  const [{ text }] = list(record(content).parts).map(record) as [{ text?: unknown }];
  const dimensions = Number(record(embedContentConfig).outputDimensionality ?? 3072);
  return {
    embedding: { values: vectorOfInput(text, dimensions) },
    usageMetadata: { promptTokenCount: String(text).length, totalTokenCount: String(text).length },
    truncated: false,
  };
}

function isGemini(model: string): boolean {
  return model.startsWith('gemini-embedding-');
}
