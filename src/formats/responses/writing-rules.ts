import type { MarkSigner } from '../marks.js';
import type { ToolNames } from './tool-names.js';
import type { ResponsesBody } from './types.js';

/** The parts of a request that decide how its answer is written: `ReadRequest.rules`. */
export interface WritingRules {
  /** The request, of which much is given back. */
  readonly body: ResponsesBody;
  readonly toolNames: ToolNames;
  /** Whether the client asked for summaries of the reasoning, or for its text. */
  readonly showsReasoning: boolean;
  /** Whether reasoning items carry what their model needs back (`include: reasoning.encrypted_content`). */
  readonly carriesReasoning: boolean;
  /** Signs the marks that carry reasoning. Without a signer marks carry nothing. */
  readonly signer?: MarkSigner | undefined;
}
