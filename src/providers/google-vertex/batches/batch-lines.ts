/** Lines of a job's files: requests in their publisher's format, with the row's number to match results. */
import type { Violation } from '../../../base/problem.js';
import type { BatchToolNames } from '../../../batch/batch.js';
import { JobCallFailure } from '../../../batch/failure.js';
import type { BatchEndpoint, BatchUpstream, LineForm, RowOutcome } from '../../../batch/ports.js';
import type { Redactor } from '../../../byok/redaction/redactor.js';
import type { ChatBody } from '../../../formats/chat/types.js';
import { elements, isObject, type JsonObject, members, parseJson, textOf } from '../../../formats/json.js';
import { UpstreamFailure } from '../../../inference/ports/failure.js';
import { outputOf } from '../../../inference/ports/stream-usage.js';
import { maxAnswerTokens } from '../../../inference/ports/usage.js';
import {
  isReasoningHidden,
  reasoningOf,
  reasoningViolations,
  requestedReasoning,
} from '../../../inference/reasoning/reasoning.js';
import { reasoningRefusal } from '../../../inference/reasoning/reasoning-refusal.js';
import { UNKNOWN_BOUNDS } from '../../../ledger/pricing/possible-usage.js';
import { fitChat } from '../../fit/chat/fit-chat.js';
import { readReport } from '../../openai/host/error-report.js';
import { redactChoices, redactJson } from '../../redaction/redaction.js';
import { PUBLISHERS } from '../chat/publishers.js';
import { type PublishedModel, type Publisher, publishedModel } from '../host/publisher.js';
import type { PublisherFormat } from '../host/publisher-format.js';
import type { AccessTokens } from '../host/token.js';
import { redactorFor } from './google-client.js';

/** Label of a Gemini request. It is sent back with the result. */
const ROW_LABEL = 'byway-row';

/** Prefix of the row in a Claude request's `custom_id`. */
const ROW_PREFIX = 'row-';

/** The format of one publisher's lines. */
interface Envelope {
  wrap(row: number, request: JsonObject): JsonObject;
  /** The row of a result; NaN for a line without one. */
  rowOf(line: JsonObject): number;
}

/** null if the publisher's models have no batches. */
const ENVELOPES: Readonly<Record<Publisher, Envelope | null>> = {
  google: {
    // The spread comes last. If it came first, V8 would create a hidden class for each object.
    wrap: (row, request) => ({ request: { labels: { [ROW_LABEL]: String(row) }, ...request } }),
    rowOf: ({ request }) => positionOf(members(members(request).labels)[ROW_LABEL], ''),
  },
  anthropic: {
    wrap: (row, request) => ({ custom_id: `${ROW_PREFIX}${row}`, request }),
    rowOf: ({ custom_id }) => positionOf(custom_id, ROW_PREFIX),
  },
  other: null,
};

/** The line format of a model; undefined if it has no batches. `tokens` redacts the secrets in results. */
export function linesOver(tokens: Pick<AccessTokens, 'redactor'>): BatchUpstream['formOf'] {
  return ({ upstreamModelId }) => {
    const published = publishedModel(upstreamModelId);
    const envelope = ENVELOPES[published.publisher];
    return envelope === null ? undefined : formOf(published, envelope, tokens);
  };
}

function formOf(
  { publisher, model }: PublishedModel,
  envelope: Envelope,
  tokens: Pick<AccessTokens, 'redactor'>,
): LineForm {
  const format = PUBLISHERS[publisher];
  return {
    model: `publishers/${publisher}/models/${model}`,
    violations: bodyReasoningViolations,
    hidesReasoning: isReasoningHidden,
    toolNames: (body, batchEndpoint) => renamedIn(format, batchEndpoint, model, body),
    *line(row, body, batchEndpoint) {
      return envelope.wrap(row, yield* requestOf(format, batchEndpoint, model, body));
    },
    reader(target) {
      const redactor = redactorFor(tokens, target);
      return (line) => {
        const row = envelope.rowOf(line);
        return Number.isNaN(row) ? undefined : { row, outcome: redacted(outcomeOf(format, line), redactor) };
      };
    },
  };
}

function bodyReasoningViolations(body: JsonObject, endpoint: BatchEndpoint): readonly Violation[] {
  const violations = reasoningViolations(body);
  if (violations.length > 0) return violations;
  const refusal = reasoningRefusal(requestedReasoning(body), endpoint, false);
  return refusal === undefined ? [] : [refusal];
}

function* requestOf(
  format: PublisherFormat,
  batchEndpoint: BatchEndpoint,
  model: string,
  body: JsonObject,
): Generator<void, JsonObject> {
  try {
    const { call } = fittedChat(format, batchEndpoint, model, body);
    const nested = yield* format.readNested(call.body);
    return format.body({ ...call, nested }, model, false);
  } catch (thrown) {
    if (!(thrown instanceof UpstreamFailure)) throw thrown;
    throw new JobCallFailure(thrown.message, { kind: 'refused', cause: thrown });
  }
}

/** In what is told of a request that can't be made to fit. */
const GOOGLE = { name: 'Google Vertex AI' };

/** The request as its model takes it. Throws `UpstreamFailure` for what can't be made to fit. */
function fittedChat(
  format: PublisherFormat,
  { endpoint, modelReasoning }: BatchEndpoint,
  model: string,
  given: JsonObject,
) {
  // The body was validated by the contract, whose rules are the chat format's.
  const body = { model: endpoint.upstreamModelId, ...given } as unknown as ChatBody;
  const reasoning = reasoningOf(body, { endpoint, modelReasoning }, maxAnswerTokens(body, endpoint));
  return fitChat({ body, reasoning, endpoint, provider: GOOGLE }, format.contract(endpoint, model));
}

/** What tools are called in the answer to a request that is known to fit. */
function renamedIn(
  format: PublisherFormat,
  batchEndpoint: BatchEndpoint,
  model: string,
  body: JsonObject,
): BatchToolNames | undefined {
  if (elements(body.tools).length === 0 && elements(body.functions).length === 0) return undefined;
  const { names } = fittedChat(format, batchEndpoint, model, body);
  return names.size === 0 ? undefined : Object.fromEntries(names);
}

/** `status` is empty after success. Otherwise it describes the failure and contains the provider's error. */
function outcomeOf(format: PublisherFormat, line: JsonObject): RowOutcome {
  const status = textOf(line.status);
  if (status !== undefined && !hasAnswer(line.response)) return failed(status);
  if (isObject(line.error)) return failed(JSON.stringify({ error: line.error }));
  try {
    const answer = format.readAnswer(line.response);
    const output = outputOf(answer, UNKNOWN_BOUNDS);
    const { usage, characters, images, finishReason, nativeFinishReason } = output;
    const { choices, systemFingerprint } = answer;
    return {
      kind: 'answered',
      // The type of a choice has no index signature.
      choices: choices as unknown as readonly JsonObject[],
      usage,
      systemFingerprint,
      characters,
      images,
      finishReason,
      nativeFinishReason,
    };
  } catch (thrown) {
    if (!(thrown instanceof UpstreamFailure)) throw thrown;
    return { kind: 'failed', status: thrown.status ?? UNEXPLAINED_STATUS, message: thrown.message };
  }
}

const UNEXPLAINED_STATUS = 502;

function redacted(outcome: RowOutcome, redactor: Redactor): RowOutcome {
  if (outcome.kind === 'failed') return redactJson(outcome, redactor);
  const { choices, systemFingerprint, nativeFinishReason } = outcome;
  return {
    ...outcome,
    choices: redactChoices(choices, redactor),
    ...redactJson({ systemFingerprint, nativeFinishReason }, redactor),
  };
}

function hasAnswer(response: unknown): boolean {
  return isObject(response) && Object.keys(response).length > 0;
}

/** Reads `Bad Request: {"error": {...}}` or plain text. */
function failed(providerMessage: string): RowOutcome {
  const report = readReport(
    parseJson(providerMessage.slice(Math.max(0, providerMessage.indexOf('{')))) ?? providerMessage,
  );
  return {
    kind: 'failed',
    status:
      report.status ?? STATUSES.find(([words]) => words.test(providerMessage))?.[1] ?? UNEXPLAINED_STATUS,
    message: report.message ?? providerMessage,
  };
}

const STATUSES: readonly (readonly [RegExp, number])[] = [
  [/^bad request|invalid_request/i, 400],
  [/^forbidden|permission/i, 403],
  [/^not found/i, 404],
  [/^too many requests|rate_limit|resource exhausted/i, 429],
];

function positionOf(text: unknown, prefix: string): number {
  const name = textOf(text) ?? '';
  return name.startsWith(prefix) && /^\d{1,9}$/.test(name.slice(prefix.length))
    ? Number(name.slice(prefix.length))
    : Number.NaN;
}
