import { firstLight } from './0001-first-light.js';
import { controlPlane } from './0002-control-plane.js';
import { money } from './0003-money.js';
import { batches } from './0004-batches.js';
import { rateBuckets } from './0005-rate-buckets.js';
import { principals } from './0006-principals.js';
import { usage } from './0007-usage.js';
import { grownBooks } from './0008-grown-books.js';
import { walls } from './0009-walls.js';
import { inTheField } from './0010-in-the-field.js';
import { modes } from './0011-modes.js';
import { attribution } from './0012-attribution.js';
import { answerCache } from './0013-answer-cache.js';
import type { Migration } from './migration.js';

/**
 * All migrations, in order. Processes of the previous version serve while one is applied, and after it until the last
 * of them is replaced. So from 0004 on a version has at most one migration, and it only adds: tables, indexes that are
 * not unique (which it may also replace), and columns with defaults. Everything that the previous version reads and
 * writes stays valid. Unused columns are dropped one version later than the last code that names them. A test compares
 * the schemas.
 */
export const MIGRATIONS: readonly Migration[] = [
  firstLight,
  controlPlane,
  money,
  batches,
  rateBuckets,
  principals,
  usage,
  grownBooks,
  walls,
  inTheField,
  modes,
  attribution,
  answerCache,
];
