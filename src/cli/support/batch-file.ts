import type { JsonValue } from '@bufbuild/protobuf';
import { type CreateBatchRequest, CreateBatchRequestSchema } from '../../../gen/byway/v1/batches_pb.js';
import { invalid } from '../../base/problem.js';
import { readMessage } from '../../protobuf/read.js';

/** Options of the command line, which replace members of the file. */
export interface BatchOptions {
  readonly model?: string;
  readonly byokKey?: string;
  readonly key?: string;
}

/**
 * Reads a batch from a file: the body of `POST /batches`, or JSON lines with `custom_id` and `body` each, whose
 * `method` and `url` are ignored. Throws a 400 Problem that names every violation.
 */
export function readBatch(text: string, { model, byokKey, key }: BatchOptions): CreateBatchRequest {
  const json = {
    ...bodyOf(text),
    ...(model !== undefined && { model }),
    ...(byokKey !== undefined && { byok_key_id: byokKey }),
    ...(key !== undefined && { api_key_hash: key }),
  };
  const read = readMessage(CreateBatchRequestSchema, json);
  if (!read.ok) throw invalid(read.violations);
  return read.message;
}

function bodyOf(text: string): Record<string, JsonValue> {
  const whole = parse(text);
  if (whole !== undefined && 'requests' in whole) return whole;
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  return { requests: lines.map(requestOf) };
}

function requestOf(line: string, index: number): JsonValue {
  const request = parse(line);
  if (request === undefined) {
    throw invalid([{ field: `requests[${index}]`, rule: 'json', message: 'must be a JSON object' }]);
  }
  const { method: _method, url: _url, ...rest } = request;
  return rest;
}

function parse(text: string): Record<string, JsonValue> | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
