/** Members of a request: those that its host has not, and how far it takes the values of others. */
import { createHash } from 'node:crypto';
import type { ResponsesContract } from '../../catalog/responses-contract.js';
import type { JsonObject } from '../../formats/chat/types.js';
import { elements, isObject, members, textOf } from '../../formats/json.js';
import { type Effort, nearestEffort } from '../../inference/reasoning/reasoning.js';
import { isThinking } from '../fit/chat/thoughts.js';
import { changed, type ResponsesCall, type ResponsesStep, withMembers, withoutMembers } from './step.js';

export const fitRequestMembers: ResponsesStep = (call, contract) => {
  const steps: readonly ResponsesStep[] = [known, keys, fitEffort, sampling, verbosity, includes];
  return steps.reduce((fitted, step) => step(fitted, contract), call);
};

/** Leaves out what the host has not. */
const known: ResponsesStep = (call, { members: taken, refusedMembers }) => {
  const names = Object.keys(call.body).filter(
    (name) => refusedMembers.has(name) || (taken !== null && !taken.has(name)),
  );
  const left = withoutMembers(call, names);
  const options = members(left.body.stream_options);
  if (options.include_usage === undefined) return left;
  // Clients of chats ask for usage, which streams of responses always have; OpenAI refuses to be asked.
  const { include_usage, ...rest } = options;
  return withMembers(left, { stream_options: Object.keys(rest).length === 0 ? undefined : rest });
};

/** Keys and ids of users: OpenAI says that they have at most so many characters. */
const KEYS = ['prompt_cache_key', 'safety_identifier'];

/** The same key is always made of a text. */
const keys: ResponsesStep = (call, { maxId }) => {
  if (maxId === null) return call;
  const long = KEYS.filter((name) => (textOf(call.body[name]) ?? '').length > maxId);
  for (const name of long) call.onAdapted?.(name, 'changed');
  return withMembers(
    call,
    Object.fromEntries(long.map((name) => [name, hashed(String(call.body[name])).slice(0, maxId)])),
  );
};

/** Another text has another hash: 43 letters and digits. */
function hashed(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}

/** An effort that the model does not have becomes the nearest that it has; one that does not reason is not asked to. */
const fitEffort: ResponsesStep = (call, { chat: { efforts } }) => {
  const { reasoning } = call.body;
  if (efforts === null || !isObject(reasoning)) return call;
  if (efforts.length === 0) return withoutMembers(call, ['reasoning']);
  const { effort } = reasoning;
  if (typeof effort !== 'string' || efforts.some((one) => one === effort)) return call;
  call.onAdapted?.('reasoning.effort', 'changed');
  const nearest = nearestEffort((effort === 'none' ? 'minimal' : effort) as Effort, efforts) ?? undefined;
  return withMembers(call, { reasoning: changed(reasoning, { effort: nearest }) });
};

/** What a model does not take while it reasons. */
const sampling: ResponsesStep = (call, { chat }) => {
  const { maxTemperature, notWhileThinking } = chat;
  const { temperature } = call.body;
  if (isReasoning(call, chat)) {
    const names = notWhileThinking.filter((name) => name !== 'logprobs' && name in call.body);
    return withoutLogprobs(withoutMembers(call, names), notWhileThinking);
  }
  if (maxTemperature === null || typeof temperature !== 'number' || temperature <= maxTemperature)
    return call;
  call.onAdapted?.('temperature', 'changed');
  return withMembers(call, { temperature: maxTemperature });
};

const LOGPROBS = 'message.output_text.logprobs';

function withoutLogprobs(call: ResponsesCall, notWhileThinking: readonly string[]): ResponsesCall {
  return notWhileThinking.includes('logprobs') ? withoutInclude(call, LOGPROBS) : call;
}

/** Whether the model reasons before it answers the request. */
function isReasoning({ body, endpoint, provider }: ResponsesCall, chat: ResponsesContract['chat']): boolean {
  const { effort } = members(body.reasoning);
  const reasoning =
    typeof effort === 'string' ? { isEnabled: effort !== 'none', effort: null, maxTokens: null } : null;
  return isThinking({ body: { messages: [] }, reasoning, endpoint, provider }, chat);
}

const verbosity: ResponsesStep = (call, { verbosities }) => {
  const { text } = call.body;
  const given = textOf(members(text).verbosity);
  if (verbosities === null || given === undefined || verbosities.includes(given)) return call;
  call.onAdapted?.('text.verbosity', 'left_out');
  return withMembers(call, { text: changed(text as JsonObject, { verbosity: undefined }) });
};

const ENCRYPTED = 'reasoning.encrypted_content';

/** Nobody misses the encrypted reasoning of a model that does not reason. */
const includes: ResponsesStep = (call, { encryptsReasoning, chat: { efforts } }) =>
  encryptsReasoning && efforts?.length !== 0 ? call : withoutInclude(call, ENCRYPTED);

function withoutInclude(call: ResponsesCall, word: string): ResponsesCall {
  const given = elements(call.body.include);
  if (!given.includes(word)) return call;
  if (word !== ENCRYPTED) call.onAdapted?.('include', 'changed');
  const rest = given.filter((one) => one !== word);
  return withMembers(call, { include: rest.length === 0 ? undefined : rest });
}
