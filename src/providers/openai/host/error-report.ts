/** Reads providers' errors in all common shapes. */
import type { JsonObject } from '../../../formats/chat/types.js';
import { elements, isObject, members, parseJson, textOf } from '../../../formats/json.js';
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
 * `{"detail": ...}`, MiniMax's `base_resp`, a list of any of these, or a text. What an aggregator passes on of its provider's
 * error (`metadata.raw`) says more than its own words.
 */
export function readReport(value: unknown): ErrorReport {
  const outer = members(Array.isArray(value) ? value[0] : value);
  const error = isObject(outer.error) ? outer.error : outer;
  const own = {
    message: messageOf(value, 0) ?? textOf(members(error.base_resp).status_msg),
    words: [...wordsOf(error), ...baseWordsOf(error)],
    isPassing: elements(error.details).some((detail) => members(detail).retryDelay !== undefined),
    status: statusOf(error),
    providerError: providerErrorOf(error),
  };
  const raw = textOf(members(error.metadata).raw);
  return raw === undefined ? own : withRaw(own, raw);
}

/** Longer errors of providers are HTML pages, and no aggregator passes those on whole. */
const MAX_RAW_CHARACTERS = 64 * 1024;

function withRaw(own: ErrorReport, raw: string): ErrorReport {
  const json = parseJson(raw.slice(0, MAX_RAW_CHARACTERS));
  const inner = readReport(isObject(json) || Array.isArray(json) ? json : raw);
  const { code, type, param } = inner.providerError;
  return {
    message: [own.message, inner.message].filter((text) => text !== undefined).join(': ') || undefined,
    words: [...inner.words, ...own.words],
    isPassing: own.isPassing || inner.isPassing,
    status: own.status ?? inner.status,
    providerError: {
      code: code ?? own.providerError.code,
      type: type ?? own.providerError.type,
      param: param ?? own.providerError.param,
    },
  };
}

/** MiniMax's numbers mean other things at other hosts. */
function baseWordsOf({ base_resp }: JsonObject): string[] {
  const { status_code } = members(base_resp);
  return typeof status_code === 'number' && status_code !== 0 ? [`base_resp.${status_code}`] : [];
}

/** Whether an answer that has no choices is an error of this host's own form. */
export function isReport(answer: JsonObject): boolean {
  if (baseWordsOf(answer).length > 0) return true;
  return !('choices' in answer) && !('usage' in answer) && messageOf(answer, 0) !== undefined;
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
