import type { Bench } from '../bench.js';
import type { Comparison } from '../compare.js';
import { byokChat } from './byok.js';

/** What the ledger costs: the gateway beside one that reserves, charges and records nothing. */
export async function compareLedger(bench: Bench): Promise<Comparison[]> {
  const { apiKey } = bench.subject;
  const bare = await bench.startVariant('src/store/stores.ts', 'test/bench/stores-without-ledger.ts');
  const server = await bench.startByway();
  return [
    {
      title: 'POST /chat/completions on a BYOK key, ledger on',
      peerIs: 'the same with the ledger off',
      byway: { server, load: byokChat(server, apiKey) },
      peer: { server: bare, load: byokChat(bare, apiKey) },
    },
  ];
}
