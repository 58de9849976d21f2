/**
 * Makes any Responses request fit what a host takes, whether it is passed on as it came or made from a chat. Nothing is lost
 * without a word: what is left out or changed is told, what can't be made to fit fails the attempt before anything is sent. A
 * request that fits is the same object.
 */
import type { ResponsesContract } from '../../catalog/responses-contract.js';
import type { RenamedTools } from '../fit/chat/tool-names.js';
import { fitCalls } from './calls.js';
import { fitIds } from './ids.js';
import { fitItems } from './items.js';
import { fitJsonWord } from './json-word.js';
import { fitRequestMembers } from './members.js';
import { fitResponsesNames } from './names.js';
import { fitParts } from './parts.js';
import { fitReasoning } from './reasoning.js';
import type { ResponsesCall, ResponsesStep } from './step.js';
import { fitResponsesTools } from './tools.js';

/** In this order: each sees what those before it have made. */
const STEPS: readonly ResponsesStep[] = [
  fitRequestMembers,
  fitItems,
  fitReasoning,
  fitParts,
  fitCalls,
  fitIds,
  fitResponsesTools,
  fitJsonWord,
];

/** The request, and what tools are called in its answer. Throws `UpstreamFailure` `invalid_request` as `refused` makes it. */
export function fitResponses(
  call: ResponsesCall,
  contract: ResponsesContract,
): { readonly call: ResponsesCall; readonly names: RenamedTools } {
  let fitted = call;
  for (const step of STEPS) fitted = step(fitted, contract);
  return fitResponsesNames(fitted, contract.chat);
}
