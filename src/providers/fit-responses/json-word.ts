import { isObject, members } from '../../formats/json.js';
import { JSON_ONLY } from '../common/told-format.js';
import { itemsOf, type ResponsesStep, withMembers } from './step.js';

/** Where the host answers JSON only if the input speaks of it, it is told so, before everything else. `instructions` do not count. */
export const fitJsonWord: ResponsesStep = (call, { jsonByWord }) => {
  const { text, input } = call.body;
  if (!jsonByWord || members(members(text).format).type !== 'json_object' || speaksOfJson(input)) return call;
  const items =
    typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : itemsOf(call);
  return withMembers(call, {
    input: [{ type: 'message', role: 'developer', content: JSON_ONLY }, ...items],
  });
};

function speaksOfJson(value: unknown): boolean {
  if (typeof value === 'string') return /json/i.test(value);
  if (Array.isArray(value)) return value.some(speaksOfJson);
  return isObject(value) && SAID.some((name) => speaksOfJson(value[name]));
}

const SAID = ['content', 'text', 'output', 'arguments', 'input'];
