import { exactText } from '../../base/json/exact-text.js';
import { JsonText } from '../../base/json/json-text.js';
import type { Problem } from '../../base/problem.js';
import type { JsonObject, Usage } from '../../formats/chat/types.js';
import { elements, isObject } from '../../formats/json.js';
import { type ResponsesStreamError, streamError } from '../../formats/responses/transport/error.js';
import { StreamCompletion } from '../../formats/responses/writing/completed-stream.js';
import { errorEvent, errorIn, failedEvent } from '../../formats/responses/writing/failure-events.js';
import type { UnnumberedEvent } from '../../formats/responses/writing/item-events.js';
import { ResponseSoFar } from '../../formats/responses/writing/so-far.js';
import type { UpstreamEvent } from '../ports/adapter.js';
import type { StreamWriter } from '../ports/answer-format.js';
import type { UpstreamFailure } from '../ports/failure.js';
import { withCost } from './usage.js';

/** The members of a response that are the gateway's own. */
type OwnMembers = (response: JsonObject) => JsonObject;

/** The events with which a response ends. */
const FINAL: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.failed']);

/**
 * Passes a provider's events on as they come, except for the response's own members and what its host has left out. From the
 * last one on they wait for the settlement, since its usage includes the cost. A stream that breaks off gets an end of our own.
 */
export class NativeEventWriter implements StreamWriter<JsonText> {
  readonly #ownMembers: OwnMembers;
  readonly #soFar = new ResponseSoFar();
  readonly #completion = new StreamCompletion((index) => `item_${this.#ownMembers({}).id}_${index}`);
  /** The event with which the response ends: its text waits for its usage. */
  #final: JsonObject | undefined;
  readonly #after: JsonText[] = [];
  /** The response as it was told last. */
  #response: JsonObject = {};
  #number = -1;
  /** Events of our own that were sent, less those of the host that were not. */
  #inserted = 0;
  #hasError = false;

  constructor(ownMembers: OwnMembers) {
    this.#ownMembers = ownMembers;
  }

  write(event: UpstreamEvent, events: JsonText[]): void {
    if (event.type !== 'native') return;
    const { value } = event.event;
    const { type, response } = value;
    if (this.#final !== undefined) {
      this.#after.push(isObject(response) ? textOf(this.#renamed(value, response)) : event.event);
      return;
    }
    if (FINAL.has(type)) {
      this.#final = this.#placed(isObject(response) ? this.#ended(value, response, events) : value);
      return;
    }
    const { before, event: completed } = this.#completion.complete(value);
    if (completed === null) {
      this.#inserted -= 1;
      return;
    }
    this.#insert(before, value, events);
    const told = this.#placed(isObject(response) ? this.#renamed(completed, response) : completed);
    if (type === 'error') this.#hasError = true;
    this.#soFar.read(told);
    events.push(told === value ? event.event : textOf(told));
  }

  cutOff(): readonly JsonText[] {
    return this.#numbered(this.#soFar.ends());
  }

  end(usage: Usage): readonly JsonText[] {
    if (this.#final === undefined) return this.#numbered([this.#incomplete(usage)]);
    return [withUsage(this.#final, usage), ...this.#after];
  }

  fail(problem: Problem, _failure: UpstreamFailure | null, usage: Usage | null): readonly JsonText[] {
    const final = this.#final;
    if (final?.type === 'response.failed') return [usage === null ? textOf(final) : withUsage(final, usage)];
    const error = streamError(problem, problem.retryAfterSeconds);
    const failed = failedEvent(this.#failed(error, usage));
    return this.#numbered(this.#hasError ? [failed] : [errorEvent(error), failed]);
  }

  #ended(event: JsonObject, response: JsonObject, events: JsonText[]): JsonObject {
    const whole = this.#complete(event, response);
    if (event.type !== 'response.failed')
      this.#insert(this.#completion.rest(elements(whole.output)), event, events);
    return this.#renamed(event, whole);
  }

  /** Events of our own before one of the host's, whose number is that of the first of them. */
  #insert(own: readonly UnnumberedEvent[], { sequence_number }: JsonObject, events: JsonText[]): void {
    if (own.length === 0) return;
    if (typeof sequence_number === 'number') this.#number = sequence_number + this.#inserted - 1;
    for (const one of own) this.#soFar.read(one);
    events.push(...this.#numbered(own));
    this.#inserted += own.length;
  }

  /** With its number, which is its host's but for events of our own before it. */
  #placed(event: JsonObject): JsonObject {
    const { type, sequence_number } = event;
    if (typeof sequence_number === 'number') this.#number = sequence_number + this.#inserted;
    else if (isMissing(sequence_number) && isNumbered(type)) this.#number += 1;
    else return event;
    return sequence_number === this.#number ? event : { ...event, sequence_number: this.#number };
  }

  #renamed(event: JsonObject, response: JsonObject): JsonObject {
    this.#response = { ...response, ...this.#ownMembers(response) };
    return { ...event, response: this.#response };
  }

  /**
   * Hosts end a response without the items that they have streamed: clients that keep what the end says lose the answer
   * (https://github.com/QuantumNous/new-api/issues/4362, https://github.com/open-webui/open-webui/pull/27800, 2026-11-26). Or
   * with the error beside it: clients look in the response (https://github.com/openai/codex/issues/24973, 2026-11-26).
   */
  #complete({ type, error }: JsonObject, response: JsonObject): JsonObject {
    const output =
      elements(response.output).length > 0
        ? []
        : this.#soFar.outputAs(type === 'response.completed' ? 'completed' : 'incomplete');
    const isUntold = type === 'response.failed' && !isObject(response.error) && isObject(error);
    if (output.length === 0 && !isUntold) return response;
    return { ...response, ...(output.length > 0 && { output }), ...(isUntold && { error }) };
  }

  #incomplete(usage: Usage): UnnumberedEvent {
    const incomplete_details = { reason: 'max_output_tokens' };
    const response = { ...this.#endedAs('incomplete'), incomplete_details, usage: withCost(null, usage) };
    return { type: 'response.incomplete', response };
  }

  #failed(error: ResponsesStreamError, usage: Usage | null): JsonObject {
    const told = usage === null ? {} : { usage: withCost(null, usage) };
    return { ...this.#endedAs('failed'), error: errorIn(error), ...told };
  }

  #endedAs(status: 'failed' | 'incomplete'): JsonObject {
    const own = this.#ownMembers(this.#response);
    return {
      ...this.#response,
      ...own,
      object: 'response',
      status,
      output: this.#soFar.outputAs('incomplete'),
    };
  }

  #numbered(events: readonly UnnumberedEvent[]): JsonText[] {
    return events.map(({ type, ...members }) => {
      this.#number += 1;
      return textOf({ type, sequence_number: this.#number, ...members });
    });
  }
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null;
}

/** Events of the API are; hosts have others, such as comments. */
function isNumbered(type: unknown): boolean {
  return typeof type === 'string' && (type === 'error' || type.startsWith('response.'));
}

function withUsage(event: JsonObject, usage: Usage): JsonText {
  const response = isObject(event.response) ? event.response : {};
  return textOf({ ...event, response: { ...response, usage: withCost(response.usage, usage) } });
}

function textOf(event: JsonObject): JsonText {
  const text = exactText(event, [event]);
  return text instanceof JsonText ? text : JsonText.of(event);
}
