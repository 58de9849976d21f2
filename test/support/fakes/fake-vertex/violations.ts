import { GEMINI_2 } from '../../strict/native/gemini.js';
import { refusalBy } from '../../strict/native/rule.js';
import type { GenerateCall } from './plan.js';

/** The first violation of a body; undefined for a valid one. */
export function violationOf(call: GenerateCall, model: string): string | undefined {
  return refusalBy(GEMINI_2, call, { model });
}
