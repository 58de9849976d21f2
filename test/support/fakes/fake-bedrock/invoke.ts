/**
 * InvokeModel with Anthropic's models: their own format, and chunks that have its events in base64
 * (`PayloadPart` of the official client; https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages-request-response.html).
 */
import { eventsOf, wholeMessage } from '../fake-anthropic/answer.js';
import type { FakePlan as MessagePlan, MessagesCall } from '../fake-anthropic/plan.js';
import { violationOf } from '../fake-anthropic/violations.js';
import type { FakeFrame, FakePlan } from './plan.js';

type Body = Readonly<Record<string, unknown>>;

/** Members that Amazon refuses: https://github.com/coder/aibridge/pull/226. */
const UNKNOWN = ['model', 'stream', 'metadata', 'service_tier', 'container', 'inference_geo'];

/** Names that Amazon knows: LiteLLM's `anthropic_beta_headers_config.json`, `bedrock`. */
const BETAS = ['context-management-2025-06-27', 'effort-2025-11-24', 'tool-search-tool-2025-10-19'];

/** The first violation, in the service's words; undefined for a valid body. */
export function invokeViolation(modelId: string, body: Body): string | undefined {
  const { anthropic_version, anthropic_beta, ...rest } = body;
  if (anthropic_version !== 'bedrock-2023-05-31') return 'anthropic_version: Field required';
  const betas = Array.isArray(anthropic_beta) ? anthropic_beta.map(String) : [];
  if (betas.some((beta) => !BETAS.includes(beta))) return 'invalid beta flag';
  const unknown = UNKNOWN.find((name) => name in rest);
  if (unknown !== undefined) return `${unknown}: Extra inputs are not permitted`;
  return violationOf(callOf(modelId, rest), '2023-06-01', betas.join());
}

export function invokedAnswer(modelId: string, body: Body, plan: FakePlan): object {
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
