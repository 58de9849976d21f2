import type { ReadRequest } from '../../formats/reading/read-request.js';
import type { NativeDemand } from '../../routing/types.js';

const NAMES = { messages: 'Messages', responses: 'Responses' };

/** What a request demands of endpoints beyond its chat. */
export function nativeDemand<Format extends keyof typeof NAMES>(
  format: Format,
  { nativeOnly, violations }: Pick<ReadRequest<unknown>, 'nativeOnly' | 'violations'>,
): NativeDemand & { readonly format: Format } {
  const message = `needs an endpoint that speaks the ${NAMES[format]} format itself, and none is left`;
  const notTranslated = nativeOnly.map((field) => ({ field, rule: 'unsupported', message }));
  return { format, nativeOnly: [...notTranslated, ...violations] };
}
