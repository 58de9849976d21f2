import { settlementOf } from '../../../dist/src/ledger/settlement.js';
import { createStores as createTheirs } from '../../../dist/src/store/stores.js';

const RESERVE = { creditNanoUsd: 0n, byokNanoUsd: 0n, sumNanoUsd: 0n };

/** The gateway's stores; every chat is admitted, and nothing of it is stored. */
export function createStores(database, dependencies) {
  const theirs = createTheirs(database, dependencies);
  return {
    ...theirs,
    ledger: {
      ...theirs.ledger,
      reserve: async () => ({ kind: 'admitted', reserve: RESERVE }),
      extend: async () => true,
    },
    generations: { ...theirs.generations, settle: async (_, charge) => settlementOf(charge, 0n) },
  };
}
