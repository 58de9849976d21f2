/** What hosts of reranking refuse of a request, one rule a function, each with its source, when it was looked up and how sure it is. */
type Body = Readonly<Record<string, unknown>>;

/** A status and the host's words; undefined for what it takes. */
type Rule = (body: Body) => readonly [status: number, message: string] | undefined;

export type RerankForm = 'cohere' | 'jina' | 'voyage' | 'vllm' | 'localai' | 'sglang';

const MAX_DOCUMENTS = 1000;

/** Documented: https://docs.cohere.com/reference/rerank, https://docs.voyageai.com/reference/reranker-api (2026-11-26). */
const isWhole: Rule = ({ query, documents }) => {
  if (typeof query !== 'string' || query === '') return [400, 'invalid request: query must not be empty'];
  if (!Array.isArray(documents) || documents.length === 0)
    return [400, 'invalid request: list of documents must not be empty'];
  return documents.length > MAX_DOCUMENTS ? [400, 'invalid request: too many documents'] : undefined;
};

/** Documented by the same, and typed by https://github.com/vllm-project/vllm/blob/main/vllm/entrypoints/pooling/score/protocol.py (2026-11-26). */
const hasTexts: Rule = ({ documents }) =>
  (documents as unknown[]).every((one) => typeof one === 'string')
    ? undefined
    : [422, 'documents: Input should be a valid string'];

/** Reported: https://github.com/HKUDS/LightRAG/issues/1813 (2026-11-26), where `top_k` is not taken. */
const knownAtCohere: Rule = (body) =>
  unknownIn(body, ['top_n', 'max_tokens_per_doc', 'priority'], (name) => [
    422,
    `unknown field: parameter '${name}' is not a valid field. For proper usage, please refer to https://docs.cohere.com/reference/rerank`,
  ]);

/** Reported: https://github.com/diegosouzapw/OmniRoute/issues/7809 (2026-11-26), where `top_n` is not taken. */
const knownAtVoyage: Rule = (body) =>
  unknownIn(body, ['top_k', 'return_documents', 'truncation'], (name) => [
    400,
    `Argument '${name}' is not supported by our API`,
  ]);

/** Reported by the same. */
const noEmptyTexts: Rule = ({ documents }) =>
  (documents as unknown[]).includes('')
    ? [400, 'Input cannot contain empty strings or empty lists']
    : undefined;

/** Assumed, from the members that Jina documents: https://api.jina.ai/redoc (2026-11-26). */
const noTokensPerDocument: Rule = ({ max_tokens_per_doc }) =>
  max_tokens_per_doc === undefined ? undefined : [422, 'max_tokens_per_doc: Extra inputs are not permitted'];

const RULES: Readonly<Record<RerankForm, readonly Rule[]>> = {
  cohere: [isWhole, hasTexts, knownAtCohere],
  jina: [isWhole, hasTexts, noTokensPerDocument],
  voyage: [isWhole, hasTexts, knownAtVoyage, noEmptyTexts],
  vllm: [isWhole, hasTexts],
  localai: [isWhole, hasTexts],
  sglang: [isWhole, hasTexts],
};

export function rerankRefusal(form: RerankForm, body: Body): ReturnType<Rule> {
  for (const rule of RULES[form]) {
    const refusal = rule(body);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

function unknownIn(
  body: Body,
  known: readonly string[],
  refusal: (name: string) => readonly [number, string],
): ReturnType<Rule> {
  const name = Object.keys(body).find((one) => !['model', 'query', 'documents', ...known].includes(one));
  return name === undefined ? undefined : refusal(name);
}
