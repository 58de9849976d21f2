import type { Case } from '../case.js';
import { ACCOUNT_CASES } from './accounts.js';
import { BATCH_CASES } from './batches.js';
import { BYOK_CASES } from './byok.js';
import { CACHE_CASES } from './cache.js';
import { CHAT_CASES } from './chat.js';
import { COMPLETIONS_CASES } from './completions.js';
import { EMBEDDINGS_CASES } from './embeddings.js';
import { GUARDRAIL_CASES } from './guardrails.js';
import { KEY_CASES } from './keys.js';
import { MESSAGES_CASES } from './messages.js';
import { MODEL_CASES } from './models.js';
import { RERANK_CASES } from './rerank.js';
import { RESPONSES_CASES } from './responses.js';
import { ROUTING_CASES } from './routing.js';
import { WORKSPACE_CASES } from './workspaces.js';

/** Every case of the contract. An operation that has none fails the test of the matrix. */
export const CASES: readonly Case[] = [
  ...ACCOUNT_CASES,
  ...BATCH_CASES,
  ...BYOK_CASES,
  ...CACHE_CASES,
  ...CHAT_CASES,
  ...COMPLETIONS_CASES,
  ...EMBEDDINGS_CASES,
  ...GUARDRAIL_CASES,
  ...KEY_CASES,
  ...MESSAGES_CASES,
  ...MODEL_CASES,
  ...RERANK_CASES,
  ...RESPONSES_CASES,
  ...ROUTING_CASES,
  ...WORKSPACE_CASES,
];
