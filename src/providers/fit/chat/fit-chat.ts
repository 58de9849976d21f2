/**
 * Makes any chat fit what a host takes, in one place for all hosts. Nothing is lost without a word: what is left out or changed in
 * meaning is told, what can't be made to fit fails the attempt before anything is sent. A chat that fits is not touched.
 */
import type { ChatContract } from '../../../catalog/chat-contract.js';
import { fitCallIds } from '../calls/call-ids.js';
import { fitFunctions } from '../calls/functions.js';
import { pairCalls } from '../calls/pairing.js';
import { signCalls } from '../calls/signatures.js';
import { fitArguments, speakOfCalls } from '../calls/spoken-calls.js';
import type { ChatCall, Step } from '../step.js';
import { fitAnswerFormat } from './answer-format.js';
import { fitContents } from './contents.js';
import { labelImages } from './images.js';
import { fitMembers } from './members.js';
import { fitEffort, fitSampling } from './sampling.js';
import { fitSchemaWords } from './schema-words.js';
import { fitThoughts } from './thoughts.js';
import { fitToolNames, type RenamedTools } from './tool-names.js';
import { fitTools } from './tools.js';
import { fitTurns } from './turns.js';
import { fitUserParts } from './user-parts.js';

export interface FittedChat<Call> {
  readonly call: Call;
  /** What tools are called in the answer, and what they were. */
  readonly names: RenamedTools;
}

/** In this order: each sees what those before it have made. */
const STEPS: readonly Step[] = [
  fitFunctions,
  labelImages,
  fitUserParts,
  signCalls,
  pairCalls,
  speakOfCalls,
  fitCallIds,
  fitArguments,
  fitTools,
  fitSchemaWords,
  fitEffort,
  fitThoughts,
  fitAnswerFormat,
  fitMembers,
  fitContents,
  fitTurns,
  fitSampling,
];

/** Throws `UpstreamFailure` `invalid_request` that names the member and what the host takes. */
export function fitChat<Call extends ChatCall>(call: Call, contract: ChatContract): FittedChat<Call> {
  const fitted = STEPS.reduce<ChatCall>((current, step) => step(current, contract), call);
  const { call: named, names } = fitToolNames(fitted, contract);
  return { call: named as Call, names };
}
