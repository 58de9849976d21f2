import type { MarkSigner } from '../marks.js';
import type { ToolNames } from './tool-names.js';

/** The parts of a request that decide how its answer is written: `ReadRequest.rules`. */
export interface WritingRules {
  readonly toolNames: ToolNames;
  /** False if thoughts are sent as signatures without their text (`display: omitted`). */
  readonly showsThoughts: boolean;
  /** Signs the marks that carry thoughts. Without a signer marks carry nothing. */
  readonly signer?: MarkSigner | undefined;
}
