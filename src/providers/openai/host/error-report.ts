/** Reads providers' errors in all common shapes. */
import type { JsonObject } from '../../../formats/chat/types.js';
import { elements, isObject, members, textOf } from '../../../formats/json.js';
import type { ProviderError } from '../../../inference/ports/failure.js';

export interface ErrorReport {
  /** Human-readable; undefined if there is none. */
  readonly message: string | undefined;
  /** `code`, `type`, `status`, and the reasons in Google's details, the most precise first. */
  readonly words: readonly string[];
  /** Whether it says when to try again. Google's rate limits use the words of an exhausted plan. */
  readonly isPassing: boolean;
  /** The HTTP status in the error; undefined if there is none. */
  readonly status: number | undefined;
  readonly providerError: ProviderError;
}

/** How deep messages are searched for. */
const MAX_DEPTH = 5;

/** Members that contain a message, or an object with one. */
const MESSAGE_MEMBERS = ['error', 'message', 'msg', 'detail', 'errors'] as const;

/**
 * Reads `{"error": {message, type, code}}`, `{"error": "text"}`, `{"object": "error", message, code}`, FastAPI's
 * `{"detail": ...}`, a list of any of these, or a text.
 */
export function readReport(value: unknown): ErrorReport {
  const outer = members(Array.isArray(value) ? value[0] : value);
  const error = isObject(outer.error) ? outer.error : outer;
  return {
    message: messageOf(value, 0),
    words: wordsOf(error),
    isPassing: elements(error.details).some((detail) => members(detail).retryDelay !== undefined),
    status: statusOf(error),
    providerError: providerErrorOf(error),
  };
}

function messageOf(value: unknown, depth: number): string | undefined {
  if (depth > MAX_DEPTH) return undefined;
  if (Array.isArray(value)) {
    return textOf(value.flatMap((element) => messageOf(element, depth + 1) ?? []).join('; '));
  }
  if (!isObject(value)) return textOf(value);
  for (const name of MESSAGE_MEMBERS) {
    const message = messageOf(value[name], depth + 1);
    if (message !== undefined) return withLocation(message, value.loc);
  }
  return undefined;
}

/** FastAPI names the member in `loc`, next to the message. */
function withLocation(message: string, location: unknown): string {
  return Array.isArray(location) ? `${location.join('.')}: ${message}` : message;
}

function wordsOf(error: JsonObject): string[] {
  const inner = members(error.innererror);
  const reasons = elements(error.details).map((detail) => members(detail).reason);
  const code = typeof error.code === 'number' ? String(error.code) : error.code;
  return [inner.code, code, error.type, error.status, ...reasons].flatMap((word) => textOf(word) ?? []);
}

/** Codes that are numbers become text. Google calls the type `status`. */
function providerErrorOf({ code, type, status, param }: JsonObject): ProviderError {
  return {
    code: textOf(typeof code === 'number' ? String(code) : code) ?? null,
    type: textOf(type) ?? textOf(status) ?? null,
    param: textOf(param) ?? null,
  };
}

function statusOf({ code, status, status_code, raw_status_code }: JsonObject): number | undefined {
  const statuses = [code, status, status_code, raw_status_code].map(Number);
  return statuses.find((number) => Number.isInteger(number) && number >= 400 && number <= 599);
}
