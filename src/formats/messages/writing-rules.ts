import type { MarkSigner } from '../marks.js';
import type { ToolNames } from './tool-names.js';

/** What of a request decides how its answer is written: `ReadRequest.rules`. */
export interface WritingRules {
  readonly toolNames: ToolNames;
  /** False: thoughts are sent as signatures without their text (`display: omitted`). */
  readonly showsThoughts: boolean;
  /** Signs the marks that carry thoughts; without it they carry nothing. */
  readonly signer?: MarkSigner | undefined;
}
