/** What a model that thinks wants to have back of its thoughts, and what it takes no orders for. */
import type { ChatContract } from '../../../catalog/chat-contract.js';
import { roleOf } from '../../../formats/chat/part-kind.js';
import type { ChatMessage } from '../../../formats/chat/types.js';
import { elements, textOf } from '../../../formats/json.js';
import { type ChatCall, mapped, type Step, withBody, without } from '../step.js';
import { isForced } from './tools.js';

/** Stands for thoughts that are lost, where the model can't do without thinking. */
const LOST = '.';

const OFF = { isEnabled: false, effort: null, maxTokens: null } as const;

/** A chat that can't be thought about is answered without thinking, where the model can do that. */
export const fitThoughts: Step = (call, contract) => {
  if (!isThinking(call, contract)) return call;
  const isDemanding = !contract.forcedWhileThinking && isForced(call.body);
  const isEquipped = !contract.toolsWhileThinking && elements(call.body.tools).length > 0;
  const lost = lostIn(call.body.messages, contract);
  if (isDemanding || isEquipped || lost.size > 0) {
    if (contract.thinkingStops) {
      call.onAdapted?.('reasoning', 'changed');
      return { ...call, reasoning: OFF };
    }
  }
  return withoutRefused(withoutDemand(withPlaceholders(call, lost), isDemanding), contract);
};

/** Whether the model thinks before it answers. */
export function isThinking(
  { reasoning }: ChatCall,
  { thinksByDefault, thinkingStops }: ChatContract,
): boolean {
  return (thinksByDefault && !thinkingStops) || (reasoning?.isEnabled ?? thinksByDefault);
}

/** Answers with calls whose thoughts the host wants, and nobody has. */
function lostIn(
  messages: readonly ChatMessage[],
  { thoughtsRequired }: ChatContract,
): ReadonlySet<ChatMessage> {
  if (thoughtsRequired === 'none') return NONE;
  const turn = messages.findLastIndex((message) => roleOf(message) === 'user');
  const wanted = thoughtsRequired === 'turn' ? messages.slice(turn + 1) : messages;
  const steps = new Set(thoughtsRequired === 'steps' ? stepsIn(messages) : wanted.filter(isCalling));
  return new Set([...steps].filter((one) => !textOf(one.reasoning)));
}

function isCalling({ role, tool_calls }: ChatMessage): boolean {
  return role === 'assistant' && elements(tool_calls).length > 0;
}

/** Answers with calls, and what is said after calls in the same turn. */
export function stepsIn(messages: readonly ChatMessage[]): ChatMessage[] {
  let isAfterCalls = false;
  return messages.filter((message) => {
    if (roleOf(message) === 'user') isAfterCalls = false;
    const isStep = isCalling(message) || (isAfterCalls && message.role === 'assistant');
    isAfterCalls ||= isCalling(message);
    return isStep;
  });
}

const NONE: ReadonlySet<ChatMessage> = new Set();

function withPlaceholders(call: ChatCall, lost: ReadonlySet<ChatMessage>): ChatCall {
  if (lost.size === 0) return call;
  call.onAdapted?.('messages.reasoning', 'changed');
  const messages = mapped(call.body.messages, (message) =>
    lost.has(message) ? { ...message, reasoning: LOST } : message,
  );
  return withBody(call, { messages });
}

function withoutRefused(call: ChatCall, { notWhileThinking }: ChatContract): ChatCall {
  const refused = notWhileThinking.filter((name) => call.body[name] !== undefined);
  if (refused.length === 0) return call;
  for (const name of refused) call.onAdapted?.(name, 'left_out');
  return without(call, refused);
}

function withoutDemand(call: ChatCall, isDemanding: boolean): ChatCall {
  if (!isDemanding) return call;
  call.onAdapted?.('tool_choice', 'changed');
  return withBody(call, { tool_choice: 'auto' });
}
