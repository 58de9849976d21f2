/** The lines of jobs' files: a request in its publisher's own form, with its position by which the result is known. */
import type { Violation } from '../../base/problem.js';
import { ProviderFailure } from '../../batch/failure.js';
import type { BatchEndpoint, BatchUpstream, JsonObject, LineForm, RowOutcome } from '../../batch/ports.js';
import type { Redactor } from '../../byok/redaction/redactor.js';
import type { ChatBody } from '../../formats/chat/types.js';
import { UpstreamFailure } from '../../inference/attempts/failure.js';
import { reasoningFor } from '../../inference/reasoning/reasoning.js';
import { reasoningRefusal } from '../../inference/reasoning/reasoning-refusal.js';
import {
  isReasoningHidden,
  reasoningViolations,
  requestedReasoning,
} from '../../inference/reasoning/requested-reasoning.js';
import { answerTokens } from '../../inference/settlement/answer-tokens.js';
import { producedBy } from '../../inference/stream/stream-usage.js';
import { isObject, members, parseJson, textOf } from '../http/json.js';
import { readReport } from '../openai/report.js';
import { redactChoices, redactJson } from '../redaction/redaction.js';
import { anthropic } from './anthropic.js';
import type { Dialect } from './dialect.js';
import { gemini } from './gemini/format.js';
import { publishedModel } from './publisher.js';
import type { AccessTokens } from './token.js';

/** Label of a Gemini request: it comes back with its result, which has no other name. */
const ROW_LABEL = 'byway-row';

/** What stands before the position in the name of a Claude request. */
const ROW_PREFIX = 'row-';

/** How one publisher's requests are put into lines. */
interface Envelope {
  readonly publisher: string;
  wrap(row: number, request: JsonObject): JsonObject;
  /** The position of the request whose result this is. */
  rowOf(line: JsonObject): number;
}

const ENVELOPES: ReadonlyMap<Dialect, Envelope> = new Map([
  [
    gemini,
    {
      publisher: 'google',
      // What is spread comes last: V8 makes a hidden class for each object that gets a member after that.
      wrap: (row, request) => ({ request: { labels: { [ROW_LABEL]: String(row) }, ...request } }),
      rowOf: ({ request }) => positionOf(members(members(request).labels)[ROW_LABEL], ''),
    },
  ],
  [
    anthropic,
    {
      publisher: 'anthropic',
      wrap: (row, request) => ({ custom_id: `${ROW_PREFIX}${row}`, request }),
      rowOf: ({ custom_id }) => positionOf(custom_id, ROW_PREFIX),
    },
  ],
]);

/** The form of a model's lines, undefined where jobs know none; `tokens` are those that results are fetched with. */
export function linesOver(tokens: Pick<AccessTokens, 'redactor'>): BatchUpstream['formOf'] {
  return ({ upstreamModelId }) => {
    const { model, dialect } = publishedModel(upstreamModelId);
    const envelope = ENVELOPES.get(dialect);
    return envelope && formOf(model, dialect, envelope, tokens);
  };
}

function formOf(
  model: string,
  dialect: Dialect,
  envelope: Envelope,
  tokens: Pick<AccessTokens, 'redactor'>,
): LineForm {
  return {
    model: `publishers/${envelope.publisher}/models/${model}`,
    violations: bodyReasoningViolations,
    hidesReasoning: isReasoningHidden,
    line: (row, body, asking) => envelope.wrap(row, requestOf(dialect, asking, model, body)),
    reader({ credential, provider }) {
      const redactor = tokens.redactor(credential, provider);
      return (line) => {
        const row = envelope.rowOf(line);
        return Number.isNaN(row) ? undefined : { row, outcome: redacted(outcomeOf(dialect, line), redactor) };
      };
    },
  };
}

function bodyReasoningViolations(body: JsonObject, asking: BatchEndpoint): readonly Violation[] {
  const broken = reasoningViolations(body);
  if (broken.length > 0) return broken;
  const refusal = reasoningRefusal(requestedReasoning(body), asking, false);
  return refusal === undefined ? [] : [refusal];
}

function requestOf(
  dialect: Dialect,
  { endpoint, modelReasoning }: BatchEndpoint,
  model: string,
  body: JsonObject,
): JsonObject {
  try {
    // The contract's rules hold for the body, which are those of the dialect.
    const asking = { model: endpoint.upstreamModelId, ...body } as unknown as ChatBody;
    const reasoning = reasoningFor(
      requestedReasoning(asking),
      modelReasoning,
      answerTokens(asking, endpoint),
    );
    return dialect.body({ body: asking, reasoning, endpoint }, model, false);
  } catch (thrown) {
    if (!(thrown instanceof UpstreamFailure)) throw thrown;
    throw new ProviderFailure(thrown.message, { kind: 'refused', cause: thrown });
  }
}

/** `status` is empty where all went well; else it tells of the failure, with the provider's answer in it. */
function outcomeOf(dialect: Dialect, line: JsonObject): RowOutcome {
  const status = textOf(line.status);
  if (status !== undefined && !hasAnswer(line.response)) return failed(status);
  if (isObject(line.error)) return failed(JSON.stringify({ error: line.error }));
  try {
    const answer = dialect.readAnswer(line.response);
    const { characters, images, finishReason, nativeFinishReason } = producedBy(answer);
    const { choices, usage, systemFingerprint } = answer;
    return {
      kind: 'answered',
      // JSON like all of an answer; its types have no index signature.
      choices: choices as unknown as readonly JsonObject[],
      ...{ usage, systemFingerprint, characters, images, finishReason, nativeFinishReason },
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

/** `Bad Request: {"error": {...}}`, or words alone. */
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
