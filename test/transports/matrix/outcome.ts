import { create, type JsonObject } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { type ErrorDetail, ErrorDetailSchema } from '../../../gen/byway/v1/error_pb.js';
import { REASONS, type Reason } from '../../../src/base/reasons.js';
import { writeMessage } from '../../../src/protobuf/write.js';

/** The outcome of a call in REST spelling, whatever the transport. */
export interface Outcome {
  /** Every message of the answer in REST spelling; one for an answer in one piece. */
  readonly messages: readonly JsonObject[];
  readonly generationId: string | null;
  readonly failure: Failure | null;
}

/** The content of the error envelope. After the first message of a stream only `status` and `message` are given. */
export interface Failure {
  readonly status: number;
  readonly message: string;
  readonly reason?: string;
  readonly violations?: readonly object[];
  readonly metadata?: JsonObject;
  readonly userId?: string | null;
  readonly retryAfter?: string | null;
}

/** The failure of an RPC, before or after some messages. Throws when its code is not the one of its reason. */
export function failureOf(error: unknown, messages: readonly JsonObject[]): Failure {
  const { code, rawMessage: message, metadata, detail } = detailOf(error);
  const { code: expected } = REASONS[detail.reason as Reason];
  if (snakeCase(Code[code] ?? '') !== expected) {
    throw new Error(`${detail.reason} came with code ${Code[code]} instead of ${expected}`);
  }
  const status = detail.httpStatus;
  if (messages.length > 0) return { status, message };
  const { violations, metadata: more } = writeMessage(ErrorDetailSchema, detail);
  return {
    status,
    message,
    reason: detail.reason,
    userId: detail.userId ?? null,
    violations: violations as JsonObject[],
    metadata: (more as JsonObject | null) ?? {},
    retryAfter: metadata.get('retry-after'),
  };
}

function detailOf(error: unknown): ConnectError & { readonly detail: ErrorDetail } {
  if (!(error instanceof ConnectError)) throw error;
  const [detail] = error.findDetails(ErrorDetailSchema);
  if (detail === undefined) throw new Error(`an error without detail: ${error.message}`, { cause: error });
  return Object.assign(error, { detail: create(ErrorDetailSchema, detail) });
}

function snakeCase(name: string): string {
  return name.replace(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}
