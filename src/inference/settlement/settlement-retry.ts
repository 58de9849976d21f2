/** Keeps what could not be settled because the database was in trouble, and settles it once that is over. */
import type { Charge } from '../../ledger/settlement.js';
import type { GenerationStore, UnsettledGeneration } from './generation.js';

/** How often it is tried again, and how long it takes at most to notice that the database is back. */
const RETRY_MS = 1_000;

/** Requests remembered at once; more than are open at the same time when a database goes away. */
const MAX_PENDING = 10_000;

/** Where it is told what was kept and what was lost, for the operator. */
export interface SettlementLog {
  error(fields: object, message: string): void;
}

interface Pending {
  readonly generation: UnsettledGeneration;
  readonly charge: Charge | null;
}

/** A store that keeps trying: what was spent upstream is charged, if late, though the caller is told of the failure. */
export interface SettlementRetry extends Pick<GenerationStore, 'settle'> {
  /** Tries once more what is still kept, and keeps nothing any longer. */
  close(): Promise<void>;
}

/** Wraps the store. What was committed although its commit was told to have failed is not settled again. */
export function retrySettlement(
  store: Pick<GenerationStore, 'settle' | 'find'>,
  log: SettlementLog,
): SettlementRetry {
  const pending = new Map<string, Pending>();
  let timer: NodeJS.Timeout | undefined;

  const schedule = () => {
    timer = setTimeout(
      () => void settlePending().finally(() => pending.size > 0 && schedule()),
      RETRY_MS,
    ).unref();
  };
  /** Each once, those that failed before at the end: one that can never be written holds up no other. */
  const settlePending = async () => {
    for (const [id, { generation, charge }] of [...pending]) {
      pending.delete(id);
      try {
        const scope = { accountId: generation.accountId, apiKeyHash: null };
        if ((await store.find(id, scope)) === undefined) await store.settle(generation, charge);
      } catch {
        pending.set(id, { generation, charge });
      }
    }
  };

  return {
    async settle(generation, charge) {
      try {
        return await store.settle(generation, charge);
      } catch (error) {
        const { id } = generation;
        if (pending.size < MAX_PENDING) {
          if (pending.size === 0) schedule();
          pending.set(id, { generation, charge });
          log.error({ err: error, generation: id }, 'could not settle a request; it is tried again');
        } else log.error({ err: error, generation: id }, 'could not settle a request; it is lost');
        throw error;
      }
    },
    async close() {
      clearTimeout(timer);
      await settlePending();
      for (const id of pending.keys()) log.error({ generation: id }, 'a request was never settled');
      pending.clear();
    },
  };
}
