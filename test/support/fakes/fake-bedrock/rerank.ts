/**
 * InvokeModel with models that rerank (2026-11-26):
 * - typed: `api_version: 2` is for Cohere's alone: https://github.com/agno-agi/agno (`BedrockReranker`);
 * - documented: at most 1,000 documents: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_agent-runtime_Rerank.html;
 * - assumed: other members are refused, as by Amazon's other models, and more results than documents.
 */
import { orderOf, scoreOf } from '../fake-rerank-host.js';

type Body = Readonly<Record<string, unknown>>;

interface RerankModel {
  violation(body: Body): string | undefined;
  answer(body: Body): object;
}

const MAX_DOCUMENTS = 1000;

/** undefined for other models. */
export function rerankModelAt(modelId: string): RerankModel | undefined {
  if (!modelId.includes('rerank')) return undefined;
  const isOfCohere = modelId.includes('cohere');
  return { violation: (body) => violationOf(body, isOfCohere), answer };
}

function violationOf(body: Body, isOfCohere: boolean): string | undefined {
  const { query, documents, top_n, api_version, ...others } = body;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return `Malformed input request: extraneous key [${unknown}] is not permitted`;
  if (isOfCohere !== (api_version === 2)) return 'Malformed input request: api_version';
  if (typeof query !== 'string' || query === '') return 'Malformed input request: query';
  if (!Array.isArray(documents) || documents.length === 0 || documents.length > MAX_DOCUMENTS)
    return 'Malformed input request: documents';
  if (!documents.every((one) => typeof one === 'string'))
    return 'Malformed input request: expected type: String';
  return Number(top_n) <= documents.length ? undefined : 'Malformed input request: top_n';
}

function answer({ documents, top_n }: Body): object {
  const texts = documents as readonly string[];
  const results = orderOf(texts)
    .slice(0, Number(top_n))
    .map((index) => ({ index, relevance_score: scoreOf(texts[index] ?? '') }));
  return { results };
}
