/** Checks the requests of a batch and computes their max cost. Both loops yield to the event loop now and then. */
import type { NanoUsd } from '../base/money.js';
import { invalid, type Violation } from '../base/problem.js';
import { runInSlices, yieldAfterSlice } from '../base/time-slices.js';
import type { Catalog } from '../catalog/assembled/catalog.js';
import { asksForGeo } from '../catalog/modes.js';
import { ownSizeViolations } from '../formats/answer-size.js';
import { type HostWork, hostWorkViolations } from '../formats/host-work.js';
import type { JsonObject } from '../formats/json.js';
import { RequestReach } from '../formats/shared-capacity/reach.js';
import type { SpendPart } from '../ledger/admit-parts.js';
import type { EndUserRules } from '../ledger/end-users.js';
import { notBounded, unboundedOf } from '../routing/estimate/cost-demand.js';
import { maxBatchCostOf } from '../routing/estimate/max-usage.js';
import { estimatePromptTokens } from '../routing/estimate/prompt-tokens.js';
import { requestSize } from '../routing/estimate/request-size.js';
import { DuplicateCheck } from './duplicate-check.js';
import { EndUserCheck, endUserOfRow, limitFor } from './end-users.js';
import type { EndpointSelection } from './endpoint-selection.js';
import { JobCallFailure } from './failure.js';
import type { MeasuredRows } from './ports.js';
import { RowWriter } from './rows.js';
import { type BatchForm, batchedBody, type StagedRequest } from './staging.js';

/** Only this many violations are reported. */
const MAX_VIOLATIONS = 100;

/** The model of a submission. */
export interface BatchModel {
  /** The name as the submission spells it. */
  readonly name: string;
  readonly resolveId: Catalog['resolveId'];
  /** undefined if the model does not support batches: requests then can't be checked against it. */
  readonly batchForm: BatchForm | undefined;
  /** Of the API key that pays; null = it has none. */
  readonly endUsers: EndUserRules | null;
}

/** Violations that the contract's own rules do not find, at most `MAX_VIOLATIONS`. */
export async function requestViolations(
  requests: readonly StagedRequest[],
  model: BatchModel,
): Promise<Violation[]> {
  const violations: Violation[] = [];
  let beganAt = performance.now();
  const names = new DuplicateCheck(requests.length, (row) => requests[row]?.customId ?? '');
  const endUsers = new EndUserCheck(model.endUsers);
  for (const [row, request] of requests.entries()) {
    if (!names.add(row)) violations.push(duplicateId(row));
    const [field, body] = [`requests[${row}].body`, request.body()];
    violations.push(...endUsers.violations(field, body));
    violations.push(...(await bodyViolations(field, row, body, model)));
    if (violations.length >= MAX_VIOLATIONS) break;
    beganAt = await yieldAfterSlice(beganAt);
  }
  return violations.slice(0, MAX_VIOLATIONS);
}

/** Where a batch runs, when it was submitted (Unix milliseconds), and whether a limit or budget applies to it. */
export interface MeasuringContext extends Pick<EndpointSelection, 'form' | 'attempt'> {
  readonly at: number;
  readonly isLimited: boolean;
  readonly endUsers: EndUserRules | null;
}

/**
 * The stored rows of the requests, and what they may cost at the endpoint. Throws a 400 Problem if limits apply and
 * nothing bounds what a request may cost.
 */
export async function measure(
  requests: readonly StagedRequest[],
  { form, attempt, at, isLimited, endUsers }: MeasuringContext,
): Promise<MeasuredRows> {
  const rows = new RowWriter();
  let beganAt = performance.now();
  let maxCostNanoUsd: NanoUsd = 0n;
  const parts: SpendPart[] = [];
  for (const [row, request] of requests.entries()) {
    const body = request.body();
    const size = requestSize(body);
    const limit = limitFor(endUsers, body);
    const unbounded = isLimited || limit !== null ? unboundedOf(size) : null;
    if (unbounded !== null) throw invalid([notBoundedIn(row, unbounded)]);
    const part = { maxCostNanoUsd: maxBatchCostOf(size, attempt, at), limit };
    maxCostNanoUsd += part.maxCostNanoUsd;
    if (endUsers !== null) parts.push(part);
    const toolNames = form.toolNames(body, attempt);
    rows.add({
      customId: request.customId,
      promptTokens: estimatePromptTokens(body).likely,
      images: size.images,
      isReasoningHidden: form.hidesReasoning(body),
      ...(toolNames !== undefined && { toolNames }),
      endUser: endUserOfRow(body),
    });
    beganAt = await yieldAfterSlice(beganAt);
  }
  const isAnyLimited = parts.some(({ limit }) => limit !== null);
  return { json: rows.json(), maxCostNanoUsd, parts: isAnyLimited ? parts : null };
}

function notBoundedIn(row: number, work: HostWork): Violation {
  const violation = notBounded(work, 'to which no limit applies');
  return { ...violation, field: `requests[${row}].body.${violation.field}` };
}

async function bodyViolations(
  field: string,
  row: number,
  body: JsonObject,
  model: BatchModel,
): Promise<Violation[]> {
  const misplaced = MISPLACED.filter((name) => body[name] !== undefined).map((name) => ({
    field: `${field}.${name}`,
    rule: 'not_in_batch',
    message: 'is not allowed in a batch: all requests are routed together',
  }));
  const other = isOtherModel(body.model, model)
    ? [{ field: `${field}.model`, rule: 'same_model', message: "must be the batch's model, or left out" }]
    : [];
  const others = new RequestReach(body)
    .sentAs('chat')
    .models.filter((named) => isOtherModel(named.name, model))
    .map((named) => ({
      field: `${field}.${named.field}`,
      rule: 'same_model',
      message: "must be the batch's model, or left out: no other may answer",
    }));
  const streamed =
    body.stream === true
      ? [{ field: `${field}.stream`, rule: 'not_in_batch', message: 'is not allowed in a batch' }]
      : [];
  const placed = asksForGeo(body.inference_geo)
    ? [{ field: `${field}.inference_geo`, rule: 'unsupported', message: PLACED_BY_KEY }]
    : [];
  const sizes = [...ownSizeViolations(body), ...hostWorkViolations(body)].map((one) => ({
    ...one,
    field: `${field}.${one.field}`,
  }));
  const formed = await formViolations(field, row, body, model);
  return [...misplaced, ...other, ...others, ...streamed, ...placed, ...sizes, ...formed];
}

const PLACED_BY_KEY = 'is not taken: the region of the BYOK key decides where a batch runs';

const MISPLACED = ['models', 'provider'] as const;

function isOtherModel(named: unknown, { name, resolveId }: BatchModel): boolean {
  return typeof named === 'string' && resolveId(named) !== resolveId(name);
}

async function formViolations(
  field: string,
  row: number,
  body: JsonObject,
  { batchForm }: BatchModel,
): Promise<Violation[]> {
  // The contract's own rules report missing messages.
  if (body.messages === undefined) return [];
  try {
    if (batchForm === undefined) return [];
    const violations = batchForm.form.violations(body, batchForm);
    await runInSlices(batchForm.form.line(row, batchedBody(body), batchForm));
    return violations.map((violation) => ({ ...violation, field: `${field}.${violation.field}` }));
  } catch (thrown) {
    if (!(thrown instanceof JobCallFailure)) throw thrown;
    return [{ field, rule: 'supported', message: thrown.message }];
  }
}

function duplicateId(row: number): Violation {
  return { field: `requests[${row}].custom_id`, rule: 'unique', message: 'names another request already' };
}
