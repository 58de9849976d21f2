/** Members of a request that its host has not. */
import { elements, isObject, members } from '../../formats/json.js';
import { isThought } from '../../formats/messages/thoughts.js';
import { untakenMember } from '../../formats/messages/untaken.js';
import { refused } from '../fit/step.js';
import { asBlocks, isBlank } from './blocks.js';
import { type MessagesStep, withMembers, withoutMembers, withoutNames } from './step.js';

/** The older spelling of a schema for the answer is sent in the newer one, which all hosts take. */
export const respellOutputFormat: MessagesStep = (call) => {
  const { output_format, output_config } = call.body;
  if (output_format === undefined) return call;
  const body = withoutNames(call.body, 'output_format');
  if (output_format === null) return { ...call, body };
  call.onAdapted?.('output_format', 'changed');
  const given = members(output_config);
  return withMembers(
    { ...call, body },
    { output_config: { ...given, format: given.format ?? output_format } },
  );
};

/** Leaves out what does not change the answer, and refuses what would. */
export const fitRequestMembers: MessagesStep = (call, contract) => {
  const { members: known } = contract;
  if (known === null) return call;
  const names: string[] = [];
  for (const name in call.body) {
    if (known.has(name)) continue;
    const rule = untakenMember(name, call.body[name], contract);
    if (rule !== undefined) throw refused(call, name, rule);
    names.push(name);
  }
  return names.length === 0 ? call : withoutMembers(call, ...names);
};

/** The mark of the whole request stands on its last block where the host takes it nowhere else. */
export const moveRequestBreakpoint: MessagesStep = (call, { requestBreakpoint }) => {
  const { cache_control, messages } = call.body;
  if (requestBreakpoint || cache_control === undefined) return call;
  const marked = isObject(cache_control) ? withBreakpoint(elements(messages), cache_control) : undefined;
  if (marked === undefined) return withoutMembers(call, 'cache_control');
  call.onAdapted?.('cache_control', 'changed');
  return withMembers({ ...call, body: withoutNames(call.body, 'cache_control') }, { messages: marked });
};

/** The messages with a mark on the last block that may have one; undefined if there is none. */
function withBreakpoint(messages: readonly unknown[], cache_control: object): readonly unknown[] | undefined {
  for (let at = messages.length - 1; at >= 0; at -= 1) {
    const message = members(messages[at]);
    const blocks = asBlocks(message.content);
    const last = blocks.findLastIndex(
      (block) => !isThought(block) && (block.type !== 'text' || !isBlank(block.text)),
    );
    if (last === -1) continue;
    const content = blocks.map((block, index) => (index === last ? { cache_control, ...block } : block));
    return messages.map((one, index) => (index === at ? { ...message, content } : one));
  }
  return undefined;
}
