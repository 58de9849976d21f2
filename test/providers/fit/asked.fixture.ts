/** What a lane is asked, and whether the plan would send it there. */
import { runToEnd } from '../../../src/base/time-slices.js';
import type { ChatBody, JsonObject } from '../../../src/formats/chat/types.js';
import { readMessages } from '../../../src/formats/messages/reader.js';
import type { MessagesBody } from '../../../src/formats/messages/types.js';
import type { WritingRules } from '../../../src/formats/messages/writing-rules.js';
import type { ReadRequest } from '../../../src/formats/reading/read-request.js';
import { openThoughts } from '../../../src/formats/reading/sealed-thoughts.js';
import { RequestUses } from '../../../src/formats/shared-capacity/uses.js';
import type { CallCommons } from '../../../src/inference/ports/adapter.js';
import { HOST_CONTRACTS } from '../../../src/providers/contracts.js';
import { fittingContract } from '../../../src/routing/plan/contract-check.js';
import { noPreferences } from '../../../src/routing/plan/preferences.js';
import { DEMO, demoEndpoint } from '../../support/chat.js';
import type { Lane } from './lanes.fixture.js';

type Place = Pick<Lane, 'adapter' | 'slug' | 'model' | 'native' | 'format'>;

/** A request as it came, and as a chat. */
export interface Asked {
  readonly given: JsonObject;
  /** What reading it as a chat has found; undefined for a chat. */
  readonly read: ReadRequest<WritingRules> | undefined;
  readonly chat: ChatBody;
}

export function readAs(format: 'chat' | 'messages', given: JsonObject): Pick<Asked, 'read' | 'chat'> {
  if (format === 'chat') return { read: undefined, chat: given as unknown as ChatBody };
  const read = readMessages(given as unknown as MessagesBody);
  return { read, chat: runToEnd(openThoughts(read.chat, read.sealed, undefined)).chat };
}

export type Served = Pick<CallCommons, 'endpoint' | 'provider'>;

export function servedBy(lane: Place): Served {
  return {
    endpoint: {
      ...demoEndpoint('m'),
      modelId: lane.model,
      upstreamModelId: lane.model,
      provider: lane.slug,
      maxCompletionTokens: 8192,
      formats: [
        lane.format === 'messages'
          ? 'messages'
          : (lane.native ?? (lane.format === 'responses' ? 'responses' : 'chat')),
      ],
    },
    provider: {
      ...DEMO,
      slug: lane.slug,
      name: lane.slug,
      adapter: lane.adapter,
      baseUrl: 'https://host',
    },
  };
}

/** Why a plan leaves the lane's endpoint out. */
export function excludedBy(lane: Place, served: Served, { read, chat, given }: Asked): string | undefined {
  const { nativeOnly = [] } = read ?? {};
  if (lane.native === undefined && nativeOnly.length > 0) return `only Messages: ${nativeOnly.join(', ')}`;
  const native = read === undefined ? undefined : { format: 'messages' as const, body: given };
  const found = fittingContract(served, {
    native: native === undefined ? null : { ...native, nativeOnly: [] },
    uses: new RequestUses(chat, native),
    contracts: HOST_CONTRACTS,
    preferences: noPreferences,
  });
  return found?.detail;
}
