import type { Contracts } from '../../catalog/contracts.js';
import type { Format } from '../../catalog/types.js';
import type { PartKind } from './part-kind.js';

/** A part of a request that a host does not take. */
export interface Untaken {
  /** Its path. */
  readonly field: string;
  /** What the host takes instead: `at most 128`. */
  readonly rule: string;
  /** Set for a part of a message. */
  readonly kind?: PartKind;
  /** Set for a member of the request, which shared capacity may be sent without. */
  readonly isMember?: true;
}

/** What a request in one format uses that some hosts do not take. */
export interface Uses<F extends Format> {
  /** Whether every host takes all of it. */
  readonly isPlain: boolean;
  /** What can't be made to fit, each once. */
  untakenBy(contract: Contracts[F]): readonly Untaken[];
  /** What is sent otherwise than it is asked for, of parameters of sampling: only those who require them mind. */
  unsupportedBy(contract: Contracts[F]): readonly Untaken[];
  /** Where the request has the first part of this kind. */
  pathOf(kind: PartKind): string | undefined;
}
