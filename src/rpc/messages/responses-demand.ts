import type { Violation } from '../../base/problem.js';
import type { ReadRequest } from '../../formats/responses/reader.js';
import type { NativeDemand } from '../../routing/types.js';

/** What a Responses request demands of endpoints beyond its chat. */
export function responsesDemand({
  nativeOnly,
  violations,
}: Pick<ReadRequest, 'nativeOnly' | 'violations'>): NativeDemand & { format: 'responses' } {
  return { format: 'responses', nativeOnly: [...nativeOnly.map(notTranslated), ...violations] };
}

function notTranslated(field: string): Violation {
  return {
    field,
    rule: 'unsupported',
    message: 'needs an endpoint that speaks the Responses format itself, and none is left',
  };
}
