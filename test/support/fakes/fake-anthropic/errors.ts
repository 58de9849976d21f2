/**
 * Anthropic's errors: their envelope and types as in https://platform.claude.com/docs/en/api/errors, a wrong key in the
 * words of https://github.com/eyaltoledano/claude-task-master/issues/222.
 */
import type { IncomingMessage } from 'node:http';
import type { MessagesCall } from './plan.js';
import { violationOf } from './violations.js';

/** An error response; undefined for a valid request. */
export interface FakeError {
  readonly status: number;
  readonly body: object;
}

/** Its own, and the one below a resource of Azure (`AnthropicFoundry` of the official client's family). */
const PATHS: ReadonlySet<string> = new Set([
  '/v1/messages',
  '/v1/messages/count_tokens',
  '/anthropic/v1/messages',
]);

/** The documented version, and the one that the official client sends. */
const VERSIONS: ReadonlySet<unknown> = new Set(['2023-06-01', '2026-10-21']);

/** Checks a request like Anthropic: path and method, credential, version, form, members and their combinations. */
export function refusalOf(
  { method, url, headers }: IncomingMessage,
  apiKey: string,
  text: string,
): FakeError | undefined {
  if (method !== 'POST' || !PATHS.has(url ?? '')) return error(404, 'not_found_error', 'Not Found');
  const given = headers['x-api-key'] ?? headers.authorization?.replace('Bearer ', '');
  if (given === undefined) return error(401, 'authentication_error', 'x-api-key header is required');
  if (given !== apiKey) return error(401, 'authentication_error', 'invalid x-api-key');
  const version = headers['anthropic-version'];
  if (version === undefined) return invalid('anthropic-version: header is required');
  if (!VERSIONS.has(version)) return invalid(`anthropic-version: "${version}" is not a valid version`);
  const body = parse(text);
  if (body === undefined) return invalid('The request body is not valid JSON: unexpected character');
  if (body.model === 'no-such-model') return error(404, 'not_found_error', 'model: no-such-model');
  const betas = String(headers['anthropic-beta'] ?? '');
  // https://platform.claude.com/docs/en/api/messages-count-tokens: the same members but for the length of the answer.
  const counted = url?.endsWith('/count_tokens') ? { ...body, max_tokens: 1 } : body;
  const violation = violationOf(counted, String(version), { betas, path: url ?? '' });
  return violation === undefined ? undefined : invalid(violation);
}

/** An error in the usual envelope. */
export function error(status: number, type: string, message: string, details?: object): FakeError {
  const told = { type, message, ...(details && { details }) };
  return { status, body: { type: 'error', error: told, request_id: 'req_fake' } };
}

function invalid(message: string): FakeError {
  return error(400, 'invalid_request_error', message);
}

function parse(text: string): MessagesCall | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
