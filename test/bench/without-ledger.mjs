// Loaded before a gateway: replaces its stores by some that reserve, charge and record nothing for chats.
import { register } from 'node:module';

register('./without-ledger/hooks.mjs', import.meta.url);
