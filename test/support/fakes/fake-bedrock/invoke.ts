/**
 * The operation InvokeModel of Anthropic's models, whose body is a request of their own API without `model` and `stream`
 * (https://docs.aws.amazon.com/bedrock/latest/userguide/model-parameters-anthropic-claude-messages.html), and its streams,
 * whose frames are `chunk` with an event in `bytes` (`PayloadPart` of the official client).
 */
import { eventsOf, wholeMessage } from '../fake-anthropic/answer.js';
import type { MessagesCall } from '../fake-anthropic/plan.js';
import { violationOf } from '../fake-anthropic/violations.js';
import type { FakeFrame, FakePlan, FakeRequest } from './plan.js';

const VERSION = 'bedrock-2023-05-31';

/** The body's first violation; undefined for a valid one. */
export function invokeViolation(modelId: string, body: FakeRequest['body']): string | undefined {
  const { anthropic_version, anthropic_beta = [], ...rest } = body;
  if (anthropic_version !== VERSION) return 'anthropic_version: Field required';
  if (!Array.isArray(anthropic_beta)) return 'anthropic_beta: Input should be a valid list';
  const named = Object.keys(rest).find((name) => name === 'model' || name === 'stream');
  if (named !== undefined) return `${named}: Extra inputs are not permitted`;
  return violationOf(callOf(modelId, rest), '2023-06-01', anthropic_beta.join());
}

export function invokedMessage(modelId: string, body: FakeRequest['body'], plan: FakePlan): object {
  return wholeMessage(callOf(modelId, body), planOf(plan));
}

export function* invokedFrames(
  modelId: string,
  body: FakeRequest['body'],
  plan: FakePlan,
): Generator<FakeFrame> {
  for (const event of eventsOf(callOf(modelId, body), planOf(plan))) {
    yield { event: 'chunk', payload: { bytes: Buffer.from(JSON.stringify(event)).toString('base64') } };
  }
}

/** The request with the model's name at Anthropic. */
function callOf(modelId: string, body: object): MessagesCall {
  const model = modelId.replace(/^.*anthropic\./, '').replace(/-v\d+:\d+$/, '');
  return { ...(body as MessagesCall), model };
}

function planOf({ words, reasoning, content, stopReason, usage }: FakePlan) {
  return {
    ...(words !== undefined && { words }),
    ...(reasoning !== undefined && { thoughts: reasoning }),
    ...(content !== undefined && { content }),
    ...(stopReason !== undefined && { stopReason }),
    ...(usage !== undefined && { usage }),
  };
}
