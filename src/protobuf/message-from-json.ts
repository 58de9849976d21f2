import type { DescMessage, JsonValue, MessageShape } from '@bufbuild/protobuf';
import { readMessage } from './read.js';

/** Reads JSON that the gateway itself has made. Throws a TypeError where it does not fit the message. */
export function messageFromJson<D extends DescMessage>(desc: D, json: object): MessageShape<D> {
  const read = readMessage(desc, json as JsonValue);
  if (read.ok) return read.message as MessageShape<D>;
  const violations = read.violations.map(({ field, message }) => `${field} ${message}`);
  throw new TypeError(`an answer does not fit ${desc.typeName}: ${violations.join('; ')}`);
}
