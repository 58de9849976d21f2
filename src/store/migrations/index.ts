import type { Transaction } from 'kysely';
import type { ColumnTypes } from '../engine/engine.js';
import type { Tables } from '../schema.js';
import { firstLight } from './0001-first-light.js';
import { controlPlane } from './0002-control-plane.js';
import { money } from './0003-money.js';
import { batches } from './0004-batches.js';
import { rateBuckets } from './0005-rate-buckets.js';
import { clientMembers } from './0006-client-members.js';

/** One step of the schema. Once released it never changes; what must differ is a further step. */
export interface Migration {
  /** Unique for ever; also the order in which steps were made. */
  readonly name: string;
  /** Written with the schema builder, so that every engine understands it. */
  up(tx: Transaction<Tables>, types: ColumnTypes): Promise<void>;
}

/**
 * Every migration there is, in order. Processes of the version before go on serving while one is applied, and after
 * it, until the last of them is exchanged; so a version brings one at most, and that one only adds: tables, indexes
 * that are not unique, and columns that an insert may leave out. All that the version before reads stays as it is, and
 * all that it writes stays true. What has gone out of use is dropped one version later than the last code that names it.
 * From 0004 on; a test compares the schemas.
 */
export const MIGRATIONS: readonly Migration[] = [
  firstLight,
  controlPlane,
  money,
  batches,
  rateBuckets,
  clientMembers,
];
