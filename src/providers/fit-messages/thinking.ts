/** Thinking, effort and sampling, which each generation of Claude takes otherwise. */
import type { MessagesContract } from '../../catalog/messages-contract.js';
import type { JsonObject } from '../../formats/chat/types.js';
import { elements, isObject, members, textOf } from '../../formats/json.js';
import { beginsWithThought, withoutThinking } from '../../formats/messages/native.js';
import { untakenFormat } from '../../formats/messages/untaken.js';
import { EFFORTS, type Effort, maxTokensOfEffort } from '../../inference/reasoning/reasoning.js';
import { refused } from '../fit/step.js';
import { type MessagesCall, type MessagesStep, withMembers, withoutMembers, withoutNames } from './step.js';
import { demandsCall } from './tools.js';

/** The smallest budget that there is. */
const MIN_BUDGET_TOKENS = 1024;

/** Betas with which a budget may be larger than the answer. */
const INTERLEAVED = 'interleaved-thinking-2025-05-14';

export const fitThinking: MessagesStep = (call, contract) => {
  const { thinking, context_management, output_config, stop_sequences } = call.body;
  let fitted = thinking === undefined || thinking === null ? call : withForm(call, contract);
  if (context_management !== undefined) fitted = withoutClearing(fitted);
  if (output_config !== undefined) fitted = withEffort(fitted, contract);
  if (stop_sequences !== undefined) fitted = withoutBlankStops(fitted);
  return withSampling(fitted, contract);
};

function withForm(call: MessagesCall, { thinking: forms }: MessagesContract): MessagesCall {
  const { body } = call;
  const thinking = members(body.thinking);
  const isOff = thinking.type === 'disabled';
  if (isOff) return forms.includes('disabled') ? call : thoughtless(call);
  if (demandsCall(body) || forms.every((form) => form === 'disabled')) return thoughtless(call);
  const fitted = inForm(thinking, body, forms);
  const isBudget = fitted.type === 'enabled';
  if (isBudget && !beginsWithThought(elements(body.messages))) return thoughtless(call);
  const budgeted = isBudget ? withBudget(fitted, call) : fitted;
  if (budgeted === thinking) return call;
  if (budgeted === undefined) return thoughtless(call);
  call.onAdapted?.('thinking', 'changed');
  return withMembers(call, { thinking: budgeted });
}

function thoughtless(call: MessagesCall): MessagesCall {
  call.onAdapted?.('thinking', 'left_out');
  return { ...call, body: withoutThinking(call.body) };
}

/** Thinking in a form that the model has. */
function inForm(thinking: JsonObject, body: JsonObject, forms: MessagesContract['thinking']): JsonObject {
  const { type, display } = thinking;
  if (type === 'enabled' && !forms.includes('enabled'))
    return { type: 'adaptive', ...(display !== undefined && { display }) };
  if (type !== 'adaptive' || forms.includes('adaptive')) return thinking;
  const effort = EFFORTS.find((known) => known === members(body.output_config).effort) ?? MEDIUM;
  return { type: 'enabled', budget_tokens: maxTokensOfEffort(effort, Number(body.max_tokens) || 0) };
}

const MEDIUM: Effort = 'medium';

/** The budget within its bounds; undefined where the answer has no room for any. */
function withBudget(thinking: JsonObject, { body, betas }: MessagesCall): JsonObject | undefined {
  const given = Number(thinking.budget_tokens) || 0;
  // What is counted has no limit of its answer.
  const isBounded = !betas.includes(INTERLEAVED) && typeof body.max_tokens === 'number';
  const room = isBounded ? Number(body.max_tokens) - 1 : Number.POSITIVE_INFINITY;
  const budget_tokens = Math.min(Math.max(given, MIN_BUDGET_TOKENS), Math.max(room, MIN_BUDGET_TOKENS));
  if (budget_tokens > room) return undefined;
  return budget_tokens === thinking.budget_tokens ? thinking : { ...thinking, budget_tokens };
}

function isAsked({ thinking }: JsonObject): boolean {
  return isObject(thinking) && thinking.type !== 'disabled';
}

/** Thoughts are cleared only where the model thinks. */
function withoutClearing(call: MessagesCall): MessagesCall {
  const { body } = call;
  const edits = elements(members(body.context_management).edits);
  const isClearing = edits.some((edit) => String(members(edit).type).startsWith('clear_thinking'));
  if (!isClearing || isAsked(body)) return call;
  call.onAdapted?.('context_management', 'changed');
  const { thinking } = body;
  return { ...call, body: { ...withoutThinking(body), ...(thinking !== undefined && { thinking }) } };
}

/** From the lowest to the highest. */
const LEVELS = ['low', 'medium', 'high', 'xhigh', 'max'];

function withEffort(call: MessagesCall, contract: MessagesContract): MessagesCall {
  const { efforts } = contract;
  const config = members(call.body.output_config);
  const rule = untakenFormat(call.body, contract);
  if (rule !== undefined) throw refused(call, 'output_config.format', rule);
  const effort = textOf(config.effort);
  if (effort === undefined || efforts.includes(effort) || !LEVELS.includes(effort)) return call;
  const nearest = LEVELS.slice(0, LEVELS.indexOf(effort)).findLast((level) => efforts.includes(level));
  call.onAdapted?.('output_config.effort', nearest === undefined ? 'left_out' : 'changed');
  const fitted = nearest === undefined ? withoutNames(config, 'effort') : { ...config, effort: nearest };
  if (Object.keys(fitted).length > 0) return withMembers(call, { output_config: fitted });
  return { ...call, body: withoutNames(call.body, 'output_config') };
}

function withoutBlankStops(call: MessagesCall): MessagesCall {
  const given = elements(call.body.stop_sequences);
  const stop_sequences = given.filter((one) => typeof one !== 'string' || one.trim() !== '');
  if (stop_sequences.length === given.length) return call;
  call.onAdapted?.('stop_sequences', 'changed');
  return withMembers(call, { stop_sequences });
}

/** The lowest top_p that a model takes while it thinks. */
const MIN_TOP_P_OF_THINKING = 0.95;

function withSampling(call: MessagesCall, { sampling, thinksByDefault }: MessagesContract): MessagesCall {
  const { temperature, top_p, top_k, thinking } = call.body;
  if (temperature === undefined && top_p === undefined && top_k === undefined) return call;
  if (sampling === 'none') return withoutMembers(call, 'temperature', 'top_p', 'top_k');
  const isThinking = thinking === undefined ? thinksByDefault : isAsked(call.body);
  const isBoth = typeof temperature === 'number' && typeof top_p === 'number' && sampling === 'one';
  const refusedMembers = [
    ...(isThinking && temperature !== undefined && temperature !== 1 ? ['temperature'] : []),
    ...(isThinking && top_k !== undefined ? ['top_k'] : []),
    ...(isBoth || (isThinking && Number(top_p) < MIN_TOP_P_OF_THINKING) ? ['top_p'] : []),
  ];
  return withTemperature(withoutMembers(call, ...refusedMembers));
}

function withTemperature(call: MessagesCall): MessagesCall {
  const { temperature } = call.body;
  if (typeof temperature !== 'number' || (temperature >= 0 && temperature <= 1)) return call;
  call.onAdapted?.('temperature', 'changed');
  return withMembers(call, { temperature: Math.min(Math.max(temperature, 0), 1) });
}
