import type { Violation } from '../../base/problem.js';
import type { ReadRequest } from '../../formats/messages/reader.js';
import type { NativeDemand } from '../../routing/types.js';

/** What a Messages request demands of endpoints beyond its chat. */
export function messagesDemand({
  nativeOnly,
  violations,
}: ReadRequest): NativeDemand & { format: 'messages' } {
  return { format: 'messages', nativeOnly: [...nativeOnly.map(notTranslated), ...violations] };
}

function notTranslated(field: string): Violation {
  return {
    field,
    rule: 'unsupported',
    message: 'needs an endpoint that speaks the Messages format itself, and none is left',
  };
}
