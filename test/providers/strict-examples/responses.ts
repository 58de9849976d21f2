import { type Examples, JPEG, PNG } from './example.js';

const user = (content: unknown) => ({ type: 'message', role: 'user', content });
const text = (words: string) => ({ type: 'input_text', text: words });
const call = (more: object = {}) => ({
  type: 'function_call',
  id: 'fc_1',
  call_id: 'call_1',
  name: 'f',
  arguments: '{}',
  ...more,
});
const output = (more: object = {}) => ({
  type: 'function_call_output',
  call_id: 'call_1',
  output: 'Sun',
  ...more,
});
const reasoning = (more: object = {}) => ({
  type: 'reasoning',
  id: 'rs_1',
  summary: [],
  encrypted_content: 'gAAA',
  ...more,
});
const LONG = 'x'.repeat(65);
const TOOL = { type: 'function', name: 'f', parameters: { type: 'object', properties: {} } };

/** A body that every rule for Responses admits, with a bit of everything. */
export const RESPONSES_BASE = {
  model: 'gpt-4.1',
  store: false,
  instructions: 'Brief',
  tools: [
    TOOL,
    { type: 'custom', name: 'apply_patch', format: { type: 'text' } },
    { type: 'namespace', name: 'agents', description: 'Agents', tools: [TOOL] },
    { type: 'web_search' },
  ],
  tool_choice: { type: 'function', name: 'f' },
  temperature: 0.5,
  text: { format: { type: 'json_object' }, verbosity: 'medium' },
  metadata: { run: '1' },
  client_metadata: { thread: '1' },
  prompt_cache_key: 'k',
  input: [
    { type: 'message', role: 'developer', content: [text('Answer in JSON')] },
    user([text('Hi'), { type: 'input_image', image_url: `data:image/png;base64,${PNG}` }]),
    reasoning(),
    call(),
    output(),
    { type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_2', name: 'apply_patch', input: '+' },
    { type: 'custom_tool_call_output', call_id: 'call_2', output: 'done' },
    { type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'Sun' }] },
    user('More'),
  ],
};

/** The same for models that reason. */
const { temperature: _temperature, ...UNSAMPLED } = RESPONSES_BASE;
export const RESPONSES_REASONED = {
  ...UNSAMPLED,
  reasoning: { effort: 'low', summary: 'auto' },
  include: ['reasoning.encrypted_content'],
};

const base = { model: 'gpt-4.1', store: false };
const asking = (...input: readonly unknown[]) => ({ body: { ...base, input } });
const having = (members: object) => ({ body: { ...base, input: 'Hi', ...members } });

export const RESPONSES_EXAMPLES: Examples = {
  'members that it does not have': having({ stop: ['x'] }),
  'requests without a model': { body: { store: false, input: 'Hi' } },
  'requests that do not say that nothing is stored': having({ store: undefined }),
  'stream options that it does not have': having({ stream: true, stream_options: { include_usage: true } }),
  'stream options without a stream': having({ stream_options: { include_obfuscation: false } }),
  'keys of caches and of users of more than 64 characters': having({ prompt_cache_key: LONG }),
  'a choice among no tools': having({ tools: [], tool_choice: 'required' }),
  'the choice of a function that is not there': having({
    tools: [TOOL],
    tool_choice: { type: 'function', name: 'g' },
  }),
  'names of tools with other characters, or of more than 64': having({ tools: [{ ...TOOL, name: 'a.b' }] }),
  'more than 128 tools': having({
    tools: Array.from({ length: 129 }, (_, n) => ({ ...TOOL, name: `f${n}` })),
  }),
  'parameters that are no object, or a union at their root': having({
    tools: [{ ...TOOL, parameters: { anyOf: [{ type: 'object' }] } }],
  }),
  'namespaces without a description': having({ tools: [{ type: 'namespace', name: 'a', tools: [TOOL] }] }),
  'namespaces with an empty description': asking(
    {
      type: 'additional_tools',
      role: 'developer',
      tools: [{ type: 'namespace', name: 'functions', description: '', tools: [TOOL] }],
    },
    user('Hi'),
  ),
  'what Codex notes of items for OpenAI': asking({
    ...user('Hi'),
    internal_chat_message_metadata_passthrough: { turn_id: 't' },
  }),
  'metadata of items': asking({ ...user('Hi'), metadata: { turn_id: 't' } }),
  'JSON where the input does not speak of it': having({ text: { format: { type: 'json_object' } } }),
  'what needs a stored response': having({ previous_response_id: 'resp_1' }),
  'items of a type that it does not have': asking({ type: 'agent_reasoning', text: 'x' }),
  'ids that do not begin with the letters of their type': asking({ ...user('Hi'), id: 'item_1' }),
  'ids with other characters': asking({ ...user('Hi'), id: 'msg_1:2' }),
  'ids of items of more than 64 characters': asking({ ...user('Hi'), id: `msg_${LONG}` }),
  'ids of calls of more than 64 characters': asking(call({ call_id: LONG }), output({ call_id: LONG })),
  'an id twice': asking({ ...user('Hi'), id: 'msg_1' }, { ...user('Hi'), id: 'msg_1' }),
  'outputs of calls that are not there': asking(output()),
  'calls without an output': asking(call()),
  'calls whose arguments are no text': asking(call({ arguments: {} }), output()),
  'outputs that are neither text nor parts': asking(call(), output({ output: { sun: true } })),
  'reasoning that is not encrypted, since nothing is stored': asking(
    reasoning({ encrypted_content: null }),
    call(),
    output(),
  ),
  'reasoning with readable text': asking(
    reasoning({ content: [{ type: 'reasoning_text', text: 'Hm' }] }),
    call(),
    output(),
  ),
  'the status of reasoning': asking(reasoning({ status: null }), call(), output()),
  'reasoning without a summary': asking(reasoning({ summary: null }), call(), output()),
  'reasoning that led to nothing': asking(reasoning(), user('Hi')),
  'parts of another role’s types': asking({ role: 'assistant', content: [text('Hi')] }),
  'images that are not what they are called, or of other types': asking(
    user([{ type: 'input_image', image_url: `data:image/png;base64,${JPEG}` }]),
  ),
  'encrypted reasoning of a model that does not reason': having({ include: ['reasoning.encrypted_content'] }),
  'sampling while the model reasons': having({ model: 'gpt-5', temperature: 0.2 }),
  'efforts that the model does not have': having({ model: 'gpt-5', reasoning: { effort: 'xhigh' } }),
  'verbosities that the model does not have': having({ text: { verbosity: 'low' } }),
  'numbers that are out of range': having({ temperature: 2.5 }),
};
