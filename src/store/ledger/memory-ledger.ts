import { admit } from '../../ledger/admission.js';
import { NO_RESERVE, raiseTo, withoutReserved } from '../../ledger/balance/balance.js';
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

    raise: (id, request) =>
      memory.decide(() => {
        const reserved = memory.held.reserveOf(id);
        const admission = admit(request, (subject) =>
          withoutReserved(memory.balanceOf(subject), reserved ?? NO_RESERVE),
        );
        if (reserved !== undefined && admission.kind === 'admitted')
          memory.held.extend(id, raiseTo(reserved, admission.reserve));
        return admission;
      }),

    async sweep(now) {
      return memory.held.endExpired(now) + (await sweepStored(now));
    },
  };
}
