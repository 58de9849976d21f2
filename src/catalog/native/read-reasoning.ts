import { REASONING_EFFORTS } from '../enums.js';
import type { JsonReader } from '../input/json-reader.js';
import type { ReasoningSupport } from '../types.js';

const REASONING_MEMBERS = [
  'mandatory',
  'default_effort',
  'default_enabled',
  'supported_efforts',
  'supports_max_tokens',
];

/** Efforts are sorted highest first. */
export function readReasoning(at: JsonReader): ReasoningSupport {
  const member = at.object(REASONING_MEMBERS);
  return {
    mandatory: member('mandatory').boolean(),
    defaultEffort: member('default_effort').or(undefined, readEffort),
    defaultEnabled: member('default_enabled').or(undefined, (flag) => flag.boolean()),
    supportedEfforts: member('supported_efforts').or(undefined, (list) => list.orNull(readEfforts)),
    supportsMaxTokens: member('supports_max_tokens').or(false, (flag) => flag.boolean()),
  };
}

function readEffort(at: JsonReader): string | null {
  return at.orNull((word) => word.oneOf(REASONING_EFFORTS));
}

function readEfforts(at: JsonReader): string[] {
  const efforts = at.list((word) => word.oneOf(REASONING_EFFORTS));
  return REASONING_EFFORTS.filter((effort) => efforts.includes(effort));
}
