/**
 * Makes any Messages request fit what a host of Claude takes, whether it is passed on as it came or made from a chat. Nothing is
 * lost without a word: what is left out or changed is told, what can't be made to fit fails the attempt before anything is
 * sent. A request that fits is the same object.
 */
import type { MessagesContract } from '../../catalog/messages-contract.js';
import { elements } from '../../formats/json.js';
import type { RenamedTools } from '../fit/chat/tool-names.js';
import { refused } from '../fit/step.js';
import { fitBreakpoints } from './breakpoints.js';
import { fitMedia } from './media.js';
import { fitRequestMembers, moveRequestBreakpoint, respellOutputFormat } from './members.js';
import { fitNames } from './names.js';
import type { MessagesCall, MessagesStep } from './step.js';
import { fitStrays } from './strays.js';
import { fitThinking } from './thinking.js';
import { fitMessagesTools } from './tools.js';
import { fitFailures, fitMessagesTurns, fitOpenAnswer } from './turns.js';

/** In this order: each sees what those before it have made. */
const STEPS: readonly MessagesStep[] = [
  respellOutputFormat,
  fitRequestMembers,
  fitStrays,
  fitMessagesTurns,
  fitFailures,
  fitMedia,
  fitMessagesTools,
  fitThinking,
  fitOpenAnswer,
  moveRequestBreakpoint,
  fitBreakpoints,
];

/** The request, and what tools are called in its answer. Throws `UpstreamFailure` `invalid_request` as `refused` makes it. */
export function fitMessages(
  call: MessagesCall,
  contract: MessagesContract,
): { readonly call: MessagesCall; readonly names: RenamedTools } {
  if (elements(call.body.messages).length === 0)
    throw refused(call, 'messages', 'a conversation of one message or more');
  return fitNames(fitTranslated(call, contract), contract.maxToolName);
}

/** As `fitMessages`, for a request made of a chat, whose names are such already. */
export function fitTranslated(call: MessagesCall, contract: MessagesContract): MessagesCall {
  let fitted = call;
  for (const step of STEPS) fitted = step(fitted, contract);
  return fitted;
}
