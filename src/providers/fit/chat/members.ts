/** Members of a request that the host refuses, or has no use for. */
import { asksForNothing } from '../../../formats/chat/no-demand.js';
import { type ChatCall, type Step, without } from '../step.js';

/** What every host has, what codecs spell for their hosts, and what other steps make fit. */
const COMMON: ReadonlySet<string> = new Set([
  ...[
    'model',
    'models',
    'provider',
    'messages',
    'stream',
    'stream_options',
    'max_tokens',
    'max_completion_tokens',
  ],
  ...['tools', 'tool_choice', 'functions', 'function_call', 'response_format', 'cache_control'],
  ...['reasoning', 'reasoning_effort', 'include_reasoning'],
]);

export const fitMembers: Step = (call, { takenMembers, refusedMembers, storedMetadata }) => {
  const isRefused = (name: string) =>
    refusedMembers.includes(name) ||
    (takenMembers !== null && !COMMON.has(name) && !takenMembers.includes(name)) ||
    (name === 'metadata' && storedMetadata && call.body.store !== true);
  const refused = Object.keys(call.body).filter(isRefused);
  for (const name of refused) {
    const value = call.body[name];
    if (value != null && !asksForNothing(name, value)) call.onAdapted?.(name, 'left_out');
  }
  return withoutHint(without(call, refused), isRefused);
};

/** Nobody is told: the client has not asked for it. */
function withoutHint(call: ChatCall, isRefused: (name: string) => boolean): ChatCall {
  const { sessionHint, ...others } = call;
  return sessionHint?.promptCacheKey !== undefined && isRefused('prompt_cache_key') ? others : call;
}
