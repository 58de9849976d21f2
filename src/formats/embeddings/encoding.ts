import type { JsonObject } from '../json.js';
import type { Encoding } from './types.js';

/** How the client wants its vectors. */
export function encodingOf({ encoding_format }: JsonObject): Encoding {
  return encoding_format === 'base64' ? 'base64' : 'float';
}
