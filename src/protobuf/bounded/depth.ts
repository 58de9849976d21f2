import type { JsonValue } from '@bufbuild/protobuf';
import { exceedsDepth } from '../../base/json/bounded/exceeds-depth.js';
import type { ViolationList } from '../violations.js';

/** Max nesting of free-form JSON: more than any tool schema needs, and far from what exhausts the stack. */
export const MAX_DEPTH = 64;

/** Adds a violation for free-form JSON that is nested too deeply; true when it is not. */
export function checkDepth(json: JsonValue, path: string, violations: ViolationList): boolean {
  if (!exceedsDepth(json, MAX_DEPTH)) return true;
  violations.add(path, 'depth', `must not be nested deeper than ${MAX_DEPTH} levels`);
  return false;
}
