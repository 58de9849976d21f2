import type { JsonValue } from '@bufbuild/protobuf';
import { exceedsDepth, MAX_DEPTH } from '../base/json/bounded/depth.js';
import type { ViolationList } from './violations.js';

/** Adds a violation for free-form JSON that is nested too deeply; true when it is not. */
export function checkDepth(json: JsonValue, path: string, violations: ViolationList): boolean {
  if (!exceedsDepth(json, MAX_DEPTH)) return true;
  violations.add(path, 'depth', `must not be nested deeper than ${MAX_DEPTH} levels`);
  return false;
}
