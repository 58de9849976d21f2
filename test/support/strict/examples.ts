/** Bodies of which the examples of rules are made. */
import type { Body } from './chat.js';

export const USER: Body = { role: 'user', content: 'Hello' };

export const SCHEMA: Body = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};

/** A call with an id that every host takes. */
export const CALL: Body = {
  id: 'call12345',
  type: 'function',
  function: { name: 'lookup', arguments: '{"city":"Paris"}' },
};
export const CALLING: Body = { role: 'assistant', content: 'I look it up.', tool_calls: [CALL] };
export const RESULT: Body = { role: 'tool', tool_call_id: 'call12345', content: 'sunny' };

/** A tool with these members of its function in place of the usual. */
export function tool(members: Body = {}): Body {
  return {
    type: 'function',
    function: { name: 'lookup', description: 'Looks up.', parameters: SCHEMA, ...members },
  };
}

/** A body with one such tool. */
export function withTool(members: Body = {}): Body {
  return { tools: [tool(members)] };
}

/** A body whose tool was called and has answered, with messages in place of the usual. */
export function called(calling: Body = CALLING, ...after: readonly Body[]): Body {
  return { messages: [USER, calling, ...(after.length === 0 ? [RESULT] : after)], tools: [tool()] };
}

/** The usual call with members in place of the usual. */
export function calling(members: Body): Body {
  return { ...CALLING, tool_calls: [{ ...CALL, ...members }] };
}

/** A body whose answer shall have this schema. */
export function answerAs(schema: unknown, strict = true): Body {
  const json_schema = { name: 'weather', strict, schema };
  return {
    response_format: { type: 'json_schema', json_schema },
    messages: [{ role: 'user', content: 'As JSON' }],
  };
}

/** A user's message with one image of these bytes under this label. */
export function image(bytes: readonly number[], label: string): Body {
  const data = Buffer.from(Uint8Array.from([...bytes, ...new Array<number>(24).fill(0)])).toString('base64');
  const image_url = { url: `data:${label};base64,${data}` };
  const content = [
    { type: 'text', text: 'What is it?' },
    { type: 'image_url', image_url },
  ];
  return { messages: [{ role: 'user', content }] };
}

export const PNG = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
export const GIF = [0x47, 0x49, 0x46, 0x38, 0x39, 0x61];
