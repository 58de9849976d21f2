// Loaded before a gateway: puts stores in the place of its own that reserve, charge and record nothing for chats.
import { register } from 'node:module';

register('./without-ledger/hooks.mjs', import.meta.url);
