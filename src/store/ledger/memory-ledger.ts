import { admit } from '../../ledger/admission.js';
import type { Ledger } from '../../ledger/ledger.js';
import type { LedgerMemory } from './ledger-memory.js';

/** Reserves in memory: a crash leaves nothing reserved. `sweepStored` ends reservations that are rows. */
export function createMemoryLedger(memory: LedgerMemory, sweepStored: Ledger['sweep']): Ledger {
  return {
    reserve: (id, request, expiresAt) =>
      memory.decide(() => {
        const admission = admit(request, memory.balanceOf);
        if (admission.kind === 'admitted') {
          memory.held.hold(id, request.payer, admission.reserve, expiresAt);
        }
        return admission;
      }),

    extend: (id, request) =>
      memory.decide(() => {
        const admission = admit(request, memory.balanceOf);
        if (admission.kind !== 'admitted') return false;
        memory.held.extend(id, admission.reserve);
        return true;
      }),

    async sweep(now) {
      return memory.held.endExpired(now) + (await sweepStored(now));
    },
  };
}
