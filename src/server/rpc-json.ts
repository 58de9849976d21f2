/** JSON on the RPC doors. Connect's own errors of it repeat pieces of the body, and a body may hold a credential. */
import { type DescMethod, fromJsonString } from '@bufbuild/protobuf';
import { isFieldError } from '@bufbuild/protobuf/reflect';
import type { ConnectRouterOptions } from '@connectrpc/connect';
import { invalid, Problem } from '../base/problem.js';
import { toConnectError } from '../rpc/errors.js';

/**
 * Options for a method of Connect's router: a request that is not JSON, or does not fit the method, is refused
 * with a 400 that names the field and repeats nothing of what was sent (interface section 2). The price is that
 * JSON is read twice, since Connect gives its decoder no other hold.
 */
export function careful({ input }: DescMethod): Pick<ConnectRouterOptions, 'jsonOptions'> {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  const decode = (bytes?: Uint8Array): string => {
    try {
      const text = utf8.decode(bytes);
      fromJsonString(input, text, READING);
      return text;
    } catch (thrown) {
      throw toConnectError(unreadable(thrown), undefined);
    }
  };
  // Connect hands this member on to its own serialization, though its public types leave it out.
  const jsonOptions = { ...READING, textDecoder: { decode } };
  return { jsonOptions };
}

/** As usual in proto JSON (interface section 9). */
const READING = { ignoreUnknownFields: true };

function unreadable(thrown: unknown): Problem {
  const fault = thrown instanceof Error ? thrown.cause : undefined;
  if (isFieldError(fault)) {
    const { name } = fault.field();
    return invalid([{ field: name, rule: 'type', message: 'is not of its type' }]);
  }
  const message = 'The body is not valid JSON, or not of the type of the request';
  return new Problem('invalid_request', message, { violations: [{ field: '', rule: 'json', message }] });
}
