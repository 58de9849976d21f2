/** How a run ended, for its record and its charge. */

import { unpricedModes } from '../../catalog/modes.js';
import { isFree } from '../../catalog/price.js';
import type { FinishReason } from '../../formats/chat/types.js';
import { chargeablePrice, type UsageBounds } from '../../ledger/pricing/possible-usage.js';
import { type ListPrice, type Metered, priceAt } from '../../ledger/pricing/price.js';
import { type AppliedRates, ratesUnder } from '../../ledger/pricing/rates.js';
import type { Charge } from '../../ledger/settlement.js';
import { termsOf } from '../../receipts/terms.js';
import type { Attempt } from '../../routing/types.js';
import { AttemptMode } from '../attempts/attempt-mode.js';
import type { UpstreamUsage } from '../ports/adapter.js';
import { type CountedBy, NO_MODE, type RecordedMode } from '../ports/generation.js';
import type { RequestFacts } from '../ports/request-facts.js';
import type { AnswerOutput } from '../ports/stream-usage.js';
import { meter, usageSoFar } from '../ports/usage.js';
import type { RecordedEnd } from '../settlement/ending.js';

/** Attempt, counts and charge are null if all attempts failed. */
export interface Result extends RecordedEnd {
  readonly attempt: Attempt | null;
  readonly finishReason: FinishReason | null;
  readonly nativeFinishReason: string | null;
  readonly metered: Metered | null;
  readonly charge: Charge | null;
  readonly countedBy: CountedBy | null;
  readonly mode: RecordedMode;
}

/** Of a run without a successful attempt. */
export const NOTHING_SERVED: Omit<Result, keyof RecordedEnd | 'finishReason'> = {
  attempt: null,
  nativeFinishReason: null,
  metered: null,
  charge: null,
  countedBy: null,
  mode: NO_MODE,
};

/** What an answer used, in which mode, and its cost at list price. */
export interface Measured {
  readonly metered: Metered;
  readonly rates: AppliedRates;
  readonly list: ListPrice;
  readonly mode: RecordedMode;
}

interface MeasuredRequest {
  readonly facts: Pick<RequestFacts, 'promptTokens' | 'images' | 'searchUnits'>;
  readonly startedAt: number;
  readonly bounds: UsageBounds;
  /** How the attempt was made; undefined if it was not. */
  readonly mode: AttemptMode | undefined;
}

/** `known`: the usage that is known although the provider has not sent it. */
export function measured(
  attempt: Attempt,
  output: AnswerOutput,
  known: UpstreamUsage,
  { facts, startedAt: at, bounds, mode = new AttemptMode() }: MeasuredRequest,
): Measured {
  const usage = { ...known, ...usageSoFar(output, bounds) };
  const { upstreamModelId, pricing } = attempt.endpoint;
  const metered = meter(usage, facts, output, { bounds, upstreamModelId, pricing });
  const { told, mode: billed } = mode.servedBy(output.mode, attempt);
  const { promptTokens } = metered;
  const rates = ratesUnder(pricing, { mode: billed, isBatch: false, promptTokens, at });
  return {
    metered,
    rates,
    list: chargeablePrice(priceAt(rates, metered)),
    mode: {
      serviceTier: told.service_tier ?? null,
      speed: told.speed ?? null,
      inferenceGeo: told.inference_geo ?? null,
      priceMode: rates.applied.priceMode,
      unpriced: isFree(pricing) ? [] : unpricedModes(pricing.modes, billed),
    },
  };
}

export function chargeOf({ metered, rates, list }: Measured, plan: Charge['plan'], isByok: boolean): Charge {
  const terms = termsOf(rates, plan, isByok);
  return { plan, isByok, costNanoUsd: list.totalNanoUsd, billed: { terms, metered } };
}
