import { Code, ConnectError } from '@connectrpc/connect';
import { ErrorDetailSchema, type Violation } from '../../../gen/byway/v1/error_pb.js';

/** Why the server refused a call. */
export interface CallRefusal {
  /** The server's own message, in full. */
  readonly message: string;
  /** Every rule that the request broke; `field` is in REST spelling. */
  readonly violations: readonly Violation[];
  /** Whether the credential is not, or no longer, valid for this. */
  readonly isSignedOut: boolean;
}

export function callRefusalOf(error: unknown): CallRefusal {
  const failure = ConnectError.from(error);
  const [detail] = failure.findDetails(ErrorDetailSchema);
  const isUnreachable = failure.code === Code.Unknown && detail === undefined;
  return {
    message: isUnreachable ? `The gateway could not be reached: ${failure.rawMessage}` : failure.rawMessage,
    violations: detail?.violations ?? [],
    isSignedOut: failure.code === Code.Unauthenticated,
  };
}

/** The messages about one field, its entries and members included; each entry is named by its position. */
export function violationsOf(violations: readonly Violation[], field: string): string[] {
  return violations
    .filter((v) => v.field === field || v.field.startsWith(`${field}[`) || v.field.startsWith(`${field}.`))
    .map((v) => (v.field === field ? v.message : `${v.field.slice(field.length)}: ${v.message}`));
}
