import type { Ids } from '../../base/ids.js';
import type { Timeouts } from '../../base/timeouts.js';
import type { OnDisconnect } from '../../formats/routing-members.js';
import type { FastestRates } from '../../routing/health/fastest-rates.js';
import type { RunnerDependencies } from '../attempts/runner.js';
import type { InferenceCache } from '../cache/inference-cache.js';
import type { Departures } from '../leaving/departures.js';
import type { GenerationStore } from '../ports/generation.js';
import type { StreamJournal } from '../settlement/stream-journal.js';
import type { Admit } from './admission.js';

export interface InferenceDependencies extends RunnerDependencies {
  readonly admit: Admit;
  /** null where nothing is cached. */
  readonly answers: Pick<InferenceCache, 'keep' | 'used'> | null;
  readonly generations: Pick<GenerationStore, 'settle'>;
  readonly ids: Ids;
  readonly journal: Pick<StreamJournal, 'follow'>;
  /** The operator's timeouts. Requests may shorten them. */
  readonly timeouts: Timeouts;
  /** What becomes of answers whose clients leave; over own keys unless the request says otherwise. */
  readonly onDisconnect: { readonly shared: OnDisconnect; readonly byok: OnDisconnect };
  readonly departures: Pick<Departures, 'enter'>;
  readonly rates: Pick<FastestRates, 'of'>;
}
