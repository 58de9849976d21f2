/** A local Bedrock: its operations Converse and InvokeModel as the official client knows it, with failures by plan. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Exchange, type FakeServer, jsonOf, planFor, startFailingServer } from '../failing-server.js';
import { framesOf, wholeAnswer } from './answer.js';
import { embeddingModelAt } from './embed.js';
import { type FakeAccount, refusalOf } from './errors.js';
import { encodeFrame } from './frames.js';
import { invokedAnswer, invokedFrames, invokeViolation } from './invoke.js';
import type { FakePlan, FakeRequest, PlannedConverse } from './plan.js';

/** The access key that the fake takes, in every region. */
export const FAKE_ACCESS_KEY = {
  accessKeyId: 'AKIAFAKE0123456789AB',
  secretAccessKey: 'fake/secret+0123456789abcdefghijklmnopqr',
};

/** The region of calls whose path names none. */
export const FAKE_REGION = 'us-east-1';

/** The bare key that the fake takes in `FAKE_REGION`, and only there. */
export const FAKE_API_KEY = 'ABSKQmVkcm9ja0FQSUtleS1mYWtlLWF0LTEyMzQ1Njc4OTAxMg==';

/** Another one, for another region. */
export const FAKE_EU_API_KEY = 'ABSKQmVkcm9ja0FQSUtleS1ldS1hdC0xMjM0NTY3ODkwMTI=';

export interface FakeBedrock extends Omit<FakeServer, 'origin'> {
  /** The endpoint of `FAKE_REGION`. */
  readonly baseUrl: string;
  /** The endpoints of all regions: the region is part of the path. */
  readonly regionalBaseUrl: string;
  /** Every request, in order. */
  readonly requests: readonly FakeRequest[];
  /** Sets the plans for further requests of this model. */
  plan(model: string, plan: PlannedConverse): void;
}

/** Starts a fake that ends when it is closed. */
export async function serveFakeBedrock(
  now: () => number = Date.now,
): Promise<FakeBedrock & { close(): Promise<void> }> {
  const requests: FakeRequest[] = [];
  const plans = new Map<string, PlannedConverse>();
  const server = await startFailingServer((exchange) => answer(exchange, { requests, plans, now }));
  return Object.assign(server, {
    baseUrl: server.origin,
    regionalBaseUrl: `${server.origin}/regions/{region}`,
    requests,
    plan: (model: string, plan: PlannedConverse) => void plans.set(model, plan),
  });
}

const ACCOUNT: FakeAccount = {
  signer: FAKE_ACCESS_KEY,
  apiKeys: { [FAKE_REGION]: FAKE_API_KEY, 'eu-central-1': FAKE_EU_API_KEY },
};

interface Told {
  readonly requests: FakeRequest[];
  readonly plans: ReadonlyMap<string, PlannedConverse>;
  readonly now: () => number;
}

const PATH =
  /^(?:\/regions\/([a-z0-9-]+))?\/model\/([^/]+)\/(?:(converse|invoke)(-stream|-with-response-stream)?)$/;

async function answer(
  { request, response, text, send }: Exchange,
  { requests, plans, now }: Told,
): Promise<void> {
  const { method = '', url = '', headers } = request;
  const [, region = FAKE_REGION, segment, operation, streamed] = PATH.exec(url) ?? [];
  const modelId = segment === undefined ? undefined : decodeURIComponent(segment);
  const isInvoked = operation === 'invoke';
  const refusal = refusalOf(
    { method, path: url, region, modelId, headers, text, violation: isInvoked ? invokeViolation : undefined },
    ACCOUNT,
    now(),
  );
  const body = parse(text);
  const refused = refusal && JSON.stringify(refusal.body);
  requests.push({ method, path: url, region, modelId: modelId ?? '', headers, text, body, refused });
  const plan: FakePlan = refusal ?? planFor(plans.get(modelId ?? '') ?? {}, body);
  if (plan.delayMs !== undefined) await sleep(plan.delayMs);
  if (plan.reset === true) return void request.socket.destroy();
  response.sendDate = false;
  const common = { date: new Date(now()).toUTCString(), 'x-amzn-requestid': 'req-fake' };
  if (plan.status !== undefined) {
    const isText = typeof plan.body === 'string';
    const type = isText ? 'text/html' : 'application/json';
    response.writeHead(plan.status, { ...common, 'content-type': type, ...plan.headers });
    return send(plan, [isText ? String(plan.body) : JSON.stringify(plan.body ?? {})]);
  }
  const isStream = streamed !== undefined && plan.isWhole !== true;
  const type = !isStream ? 'application/json' : 'application/vnd.amazon.eventstream';
  response.writeHead(200, {
    ...common,
    'content-type': type,
    ...(plan.encoding && { 'content-encoding': plan.encoding }),
    ...(isInvoked && embeddingModelAt(modelId ?? '')?.headers(body)),
    ...plan.headers,
  });
  if (isStream || plan.stallAfter === 0) response.flushHeaders();
  const framesFor = () => (isInvoked ? invokedFrames(modelId ?? '', body, plan) : framesOf(body, plan));
  if (isStream) return send(plan, framesIn(plan, plan.frames ?? framesFor()));
  const whole = () => (isInvoked ? invokedAnswer(modelId ?? '', body, plan) : wholeAnswer(body, plan));
  return send(plan, [jsonOf(plan.answer ?? whole())]);
}

function parse(text: string): FakeRequest['body'] {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function* framesIn(plan: FakePlan, frames: NonNullable<FakePlan['frames']>): Generator<Buffer> {
  do {
    for (const frame of frames) yield Buffer.isBuffer(frame) ? frame : encodeFrame(frame);
  } while (plan.isEndless === true);
}
