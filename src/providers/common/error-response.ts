import type { IncomingHttpHeaders } from 'node:http';
import { exceedsDepth } from '../../base/json/bounded/depth.js';
import { parseJson } from '../../formats/json.js';
import { MAX_ANSWER_DEPTH } from './answer-json.js';

/** A response with an error status, and the text of its body. */
export interface ErrorResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** Parses a body; undefined if it is not JSON, or is nested deeper than any error. */
export function errorJson(text: string): unknown {
  const json = parseJson(text);
  return exceedsDepth(json, MAX_ANSWER_DEPTH) ? undefined : json;
}

/** The text of an unstructured body, as proxies send it; undefined for JSON, HTML and an empty body. */
export function plainText(text: string): string | undefined {
  const trimmed = text.trim();
  return /^[<{[]/.test(trimmed) || trimmed === '' ? undefined : trimmed;
}
