/** Embeddings: `predictions[].embeddings` with values and statistics, one for each instance. */
import { embeddingsRefusal } from '../../strict/embeddings/rule.js';
import { VERTEX_GEMINI, VERTEX_TEXT } from '../../strict/embeddings/vertex.js';
import { record, records } from '../../strict/native/values.js';
import { vectorOfInput } from '../fake-embedding-host.js';

export function predictViolation(model: string, body: object): string | undefined {
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

function isGemini(model: string): boolean {
  return model.startsWith('gemini-embedding-');
}
