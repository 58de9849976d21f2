import type { BatchUpstream } from '../../batch/ports.js';
import { vertexJobs } from './batch-jobs.js';
import { linesOver } from './batch-lines.js';
import type { SessionDependencies } from './session.js';
import { googleStorage } from './storage.js';

/** What batches are made with at Google: its storage, its jobs and the form of their lines (spec 4.6). */
export function vertexBatches(parts: SessionDependencies): BatchUpstream {
  return { storage: googleStorage(parts), jobs: vertexJobs(parts), formOf: linesOver(parts.tokens) };
}
