/** Metrics of chats: attempts at providers, times, tokens, money. No label identifies a customer. */
import type { NanoUsd } from '../../base/money.js';
import { amounts, counter, type Family, gauge, histogram } from './families.js';

/** A chat that has ended. */
export interface MeteredChat<Attempt extends MeteredAttempt = MeteredAttempt> {
  /** An id of the catalogue. */
  readonly model: string;
  /** null when no provider answered. */
  readonly provider: string | null;
  /** Whether it was answered from the cache. */
  readonly isCached: boolean;
  readonly isStreamed: boolean;
  readonly status: string;
  readonly finishReason: string | null;
  /** From the first content to the end, in milliseconds. */
  readonly generationTimeMs: number | null;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
  /** null on shared capacity. */
  readonly byokKeyId: string | null;
  /** null where nothing was billed. */
  readonly countedBy: 'provider' | 'estimate' | null;
  /** Modes that have no price: `speed:fast`. */
  readonly unpriced: readonly string[];
  readonly providerResponses: readonly Attempt[];
}

/** One attempt at a provider. `latency_ms` ends at its first content or its failure. */
interface MeteredAttempt {
  readonly provider: string;
  readonly is_byok: boolean;
  readonly latency_ms: number;
  /** Members that were adapted; null = none. */
  readonly adapted: readonly string[] | null;
}

export interface MeteredCharge {
  /** What credits are charged, including the fee, and the list price of what a BYOK key served. */
  readonly spend: { readonly creditNanoUsd: NanoUsd; readonly byokNanoUsd: NanoUsd };
  readonly byokFeeNanoUsd: NanoUsd;
}

export interface ChatMeter<Attempt extends MeteredAttempt> {
  readonly families: readonly Family[];
  /** Counts a chat that has ended, and its charge when `settling` resolves; resolves with the charge. */
  settled<Charge extends MeteredCharge>(
    chat: MeteredChat<Attempt>,
    settling: Promise<Charge>,
  ): Promise<Charge>;
  streamOpened(): void;
  streamClosed(): void;
}

export interface ChatMeterDependencies<Attempt extends MeteredAttempt> {
  /** The outcome as one of a few words. */
  outcomeOf(attempt: Attempt): string;
  /** An adapted member as one of a few words. */
  kindOfMember(member: string): string;
  /** How many answers are read without their clients now. */
  finishing(): number;
  /** How many candidates are cooling now. */
  coolingCandidates(): number;
}

export function createChatMeter<Attempt extends MeteredAttempt>(
  dependencies: ChatMeterDependencies<Attempt>,
): ChatMeter<Attempt> {
  const chats = counter('byway_chats_total', 'Chats that were routed, by how they ended.', 'outcome');
  const attempts = counter(
    'byway_upstream_attempts_total',
    'Attempts at providers, over shared capacity or a BYOK key, by how they ended.',
    'provider',
    'capacity',
    'outcome',
  );
  const fallbacks = counter(
    'byway_fallbacks_total',
    'Attempts that were made because an earlier one of the same chat had failed.',
  );
  const adaptations = counter(
    'byway_adapted_attempts_total',
    'Attempts that were made without a member of the request, or with it in another form, by the member.',
    'provider',
    'member',
  );
  const unpriced = counter(
    'byway_unpriced_requests_total',
    'Requests in a mode that has no price, billed at the base, by mode (speed:fast).',
    'provider',
    'mode',
  );
  const estimated = counter(
    'byway_estimated_requests_total',
    'Requests that were billed, at least in part, by counts of the gateway: the client left, or the provider sent none.',
    'provider',
  );
  const left = counter(
    'byway_left_requests_total',
    'Requests whose clients have left, by who counted them: the provider, if the answer was finished, or an estimate; none if nothing was billed.',
    'capacity',
    'counted_by',
  );
  const firstTokens = histogram(
    'byway_time_to_first_token_seconds',
    'From the start of the attempt that served a stream to its first content.',
    'provider',
  );
  const generations = histogram(
    'byway_generation_seconds',
    'From the first content of an answer to its end; all of an answer in one piece.',
    'provider',
  );
  const tokens = counter(
    'byway_tokens_total',
    'Tokens of answers: prompt, of them cached; completion, of them reasoning.',
    'provider',
    'model',
    'kind',
  );
  const charged = amounts(
    'byway_charged_usd_total',
    'Charged to credits, BYOK fees among it, in USD.',
    'provider',
    'model',
  );
  const listPrice = amounts(
    'byway_byok_list_price_usd_total',
    'List price of what was served over BYOK keys, in USD.',
    'provider',
    'model',
  );
  const fees = amounts('byway_byok_fees_usd_total', 'BYOK fees, in USD.', 'provider', 'model');
  const commits = histogram(
    'byway_record_commit_seconds',
    'From the end of a chat until its record is on disk, shared with those it is committed with.',
  );
  let openStreams = 0;
  // So that they are exposed as 0 from the start.
  fallbacks.at();
  commits.at();

  const families: readonly Family[] = [
    chats,
    attempts,
    fallbacks,
    adaptations,
    unpriced,
    estimated,
    left,
    firstTokens,
    generations,
    tokens,
    charged,
    listPrice,
    fees,
    commits,
    gauge(
      'byway_finishing_requests',
      'Answers that are read to their end although their clients have left.',
      dependencies.finishing,
    ),
    gauge('byway_open_streams', 'Chat streams that are open now.', () => openStreams),
    ...['byway_cooling_endpoints', 'byway_cooling_ways'].map((name) =>
      gauge(
        name,
        'Endpoints, with a key or without, that are tried last for now because they keep failing.',
        dependencies.coolingCandidates,
      ),
    ),
  ];

  const meterAnswer = (provider: string, chat: MeteredChat): void => {
    const { model, isStreamed, generationTimeMs } = chat;
    const latencyMs = chat.providerResponses.at(-1)?.latency_ms ?? 0;
    if (isStreamed) firstTokens.at(provider).observe(latencyMs / 1000);
    generations.at(provider).observe((isStreamed ? (generationTimeMs ?? 0) : latencyMs) / 1000);
    tokens.at(provider, model, 'prompt').value += chat.promptTokens;
    tokens.at(provider, model, 'cached').value += chat.cachedTokens;
    tokens.at(provider, model, 'completion').value += chat.completionTokens;
    tokens.at(provider, model, 'reasoning').value += chat.reasoningTokens;
  };

  const meterCharge = (
    provider: string,
    chat: MeteredChat,
    { spend, byokFeeNanoUsd }: MeteredCharge,
  ): void => {
    const { model, byokKeyId } = chat;
    charged.at(provider, model).nanoUsd += spend.creditNanoUsd;
    if (byokKeyId === null) return;
    listPrice.at(provider, model).nanoUsd += spend.byokNanoUsd;
    fees.at(provider, model).nanoUsd += byokFeeNanoUsd;
  };

  return {
    families,
    async settled(chat, settling) {
      const { provider, providerResponses } = chat;
      chats.at(outcomeOf(chat)).value += 1;
      if (chat.status === 'cancelled') {
        const isByok = (providerResponses.at(-1)?.is_byok ?? chat.byokKeyId !== null) === true;
        left.at(isByok ? 'byok' : 'shared', chat.countedBy ?? 'none').value += 1;
      }
      fallbacks.at().value += Math.max(0, providerResponses.length - 1);
      for (const attempt of providerResponses) {
        const capacity = attempt.is_byok ? 'byok' : 'shared';
        attempts.at(attempt.provider, capacity, dependencies.outcomeOf(attempt)).value += 1;
        for (const member of attempt.adapted ?? []) {
          adaptations.at(attempt.provider, dependencies.kindOfMember(member)).value += 1;
        }
      }
      if (provider !== null) {
        meterAnswer(provider, chat);
        if (chat.countedBy === 'estimate') estimated.at(provider).value += 1;
        for (const mode of chat.unpriced) unpriced.at(provider, labelOf(mode)).value += 1;
      }
      const startedAt = performance.now();
      const charge = await settling;
      commits.at().observe((performance.now() - startedAt) / 1000);
      if (provider !== null) meterCharge(provider, chat, charge);
      return charge;
    },
    streamOpened() {
      openStreams += 1;
    },
    streamClosed() {
      openStreams -= 1;
    },
  };
}

/** Callers and hosts choose the words, of which a label may have few. */
const LABELLED: ReadonlySet<string> = new Set([
  ...['flex', 'performance', 'priority', 'ultrafast'].map((word) => `service_tier:${word}`),
  'speed:fast',
  ...['eu', 'us'].map((word) => `inference_geo:${word}`),
]);

function labelOf(mode: string): string {
  return LABELLED.has(mode) ? mode : `${mode.slice(0, mode.indexOf(':'))}:other`;
}

function outcomeOf({ provider, isCached, status, finishReason }: MeteredChat): string {
  if (status === 'cancelled') return 'cancelled';
  if (isCached) return 'cached';
  if (provider === null) return 'failed';
  return finishReason === 'error' ? 'broken' : 'answered';
}
