import type { DescMessage, JsonValue, MessageShape } from '@bufbuild/protobuf';
import { readMessage } from './read.js';

/** The message that says what JSON of the gateway's own says. Throws a TypeError where it does not fit. */
export function fromJson<D extends DescMessage>(desc: D, json: object): MessageShape<D> {
  const read = readMessage(desc, json as JsonValue);
  if (read.ok) return read.message as MessageShape<D>;
  const violations = read.violations.map(({ field, message }) => `${field} ${message}`);
  throw new TypeError(`an answer does not fit ${desc.typeName}: ${violations.join('; ')}`);
}
