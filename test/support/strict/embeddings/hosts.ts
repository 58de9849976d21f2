import { COHERE_V3, COHERE_V4, TITAN_1, TITAN_2 } from './bedrock.js';
import { OPENAI_LIKE } from './openai.js';
import { RETRIEVAL } from './retrieval.js';
import type { EmbeddingsHost } from './rule.js';
import { VERTEX_GEMINI, VERTEX_GEMINI_2, VERTEX_TEXT } from './vertex.js';

/** Every host of embeddings whose rules are known. */
export const EMBEDDINGS_HOSTS: readonly EmbeddingsHost[] = [
  ...Object.values(OPENAI_LIKE),
  ...Object.values(RETRIEVAL),
  VERTEX_GEMINI,
  VERTEX_GEMINI_2,
  VERTEX_TEXT,
  TITAN_1,
  TITAN_2,
  COHERE_V3,
  COHERE_V4,
];
