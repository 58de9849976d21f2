/**
 * InvokeModel: models of embeddings, models that rerank, and Anthropic's with their own format, and chunks that have its events in base64
 * (`PayloadPart` of the official client; https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages-request-response.html).
 */

import { CLAUDE_BEDROCK } from '../../strict/native/claude-bedrock.js';
import { refusalBy } from '../../strict/native/rule.js';
import { eventsOf, wholeMessage } from '../fake-anthropic/answer.js';
import type { FakePlan as MessagePlan, MessagesCall } from '../fake-anthropic/plan.js';
import { embeddingModelAt } from './embed.js';
import type { FakeFrame, FakePlan } from './plan.js';
import { rerankModelAt } from './rerank.js';

type Body = Readonly<Record<string, unknown>>;

/** The first violation, in the service's words; undefined for a valid body. */
export function invokeViolation(modelId: string, body: Body): string | undefined {
  const embedding = embeddingModelAt(modelId);
  if (embedding !== undefined) return embedding.violation(body);
  const reranking = rerankModelAt(modelId);
  if (reranking !== undefined) return reranking.violation(body);
  const betas = Array.isArray(body.anthropic_beta) ? body.anthropic_beta.map(String) : [];
  return refusalBy(CLAUDE_BEDROCK, body, { model: callOf(modelId, body).model, betas });
}

export function invokedAnswer(modelId: string, body: Body, plan: FakePlan): object {
  const embedding = embeddingModelAt(modelId);
  if (embedding !== undefined) return embedding.answer(body);
  const reranking = rerankModelAt(modelId);
  if (reranking !== undefined) return reranking.answer(body);
  return { ...wholeMessage(callOf(modelId, body), messagePlan(plan)), id: 'msg_bdrk_fake' };
}

export function invokedFrames(modelId: string, body: Body, plan: FakePlan): FakeFrame[] {
  return [...eventsOf(callOf(modelId, body), messagePlan(plan))].map((event) => {
    const json = JSON.stringify(
      event.type === 'message_stop' ? { ...event, 'amazon-bedrock-invocationMetrics': METRICS } : event,
    );
    return { event: 'chunk', payload: { bytes: Buffer.from(json).toString('base64'), p: 'abcdefg' } };
  });
}

const METRICS = { inputTokenCount: 2, outputTokenCount: 3, invocationLatency: 900, firstByteLatency: 400 };

function callOf(modelId: string, body: Body): MessagesCall {
  return { ...body, model: modelId.replace(/^.*anthropic\./, '') } as unknown as MessagesCall;
}

function messagePlan({ words, reasoning, tool, content, usage, stopReason }: FakePlan): MessagePlan {
  return {
    ...(words && { words }),
    ...(reasoning && { thoughts: reasoning }),
    ...(tool && { tool }),
    ...(content && { content }),
    ...(usage && { usage }),
    ...(stopReason && { stopReason }),
  };
}
