import { thinkingBlock } from '../../support/fakes/fake-anthropic/answer.js';
import { type Examples, JPEG, PNG } from './example.js';

const image = (media_type: string, data: string) => ({
  type: 'image',
  source: { type: 'base64', media_type, data },
});
const words = (text: string) => ({ type: 'text', text });
const user = (...content: readonly unknown[]) => ({ role: 'user', content });
const assistant = (...content: readonly unknown[]) => ({ role: 'assistant', content });
const call = (id: string, more: object = {}) => ({
  type: 'tool_use',
  id,
  name: 'f',
  input: { n: 1 },
  ...more,
});
const result = (tool_use_id: string, content: unknown = 'Sun') => ({
  type: 'tool_result',
  tool_use_id,
  content,
});
const TOOL = {
  name: 'f',
  description: 'F',
  input_schema: { type: 'object', properties: { n: { type: ['integer', 'null'] } } },
};
const ASKED = user(words('Hi'), image('image/png', PNG));

/** A body that every rule for Messages admits, with a bit of everything. */
export const MESSAGES_BASE = {
  model: 'claude-haiku-4-5',
  max_tokens: 4000,
  system: [{ ...words('Brief'), cache_control: { type: 'ephemeral', ttl: '1h' } }],
  tools: [
    TOOL,
    {
      name: 'g',
      strict: true,
      input_schema: { type: 'object', properties: {}, additionalProperties: false },
    },
  ],
  tool_choice: { type: 'auto' },
  temperature: 0.5,
  stop_sequences: ['END'],
  messages: [
    ASKED,
    assistant(thinkingBlock('Hm'), words('Look'), call('a'), call('b')),
    user(result('a', [words('Sun'), image('image/jpeg', JPEG)]), result('b', ''), {
      ...words('So?'),
      cache_control: { type: 'ephemeral' },
    }),
    assistant(words('Fine')),
    user(words('And?')),
  ],
};

const body = (more: object) => ({ body: { ...MESSAGES_BASE, ...more } });
const turns = (...messages: readonly unknown[]) => body({ messages });
const called = (id: string, more: object = {}, answer: unknown = result(id)) =>
  turns(ASKED, assistant(call(id, more)), user(answer));
const tool = (more: object) => body({ tools: [{ ...TOOL, ...more }] });
const schema = (more: object) => tool({ input_schema: { type: 'object', ...more } });
const late = { model: 'claude-opus-4-8' };
const early = { model: 'claude-haiku-4-5' };

export const MESSAGES_EXAMPLES: Examples = {
  'an answer without a limit of tokens': body({ max_tokens: undefined }),
  'half of a surrogate pair': turns(user(words('a\ud83d'))),
  'a conversation without messages': turns(),
  'a first turn that is not the user': turns(assistant(words('Hi')), user(words('Hi'))),
  'roles other than user and assistant, but for the system after the user, since Opus 4.8': {
    ...turns(ASKED, { role: 'system', content: 'Be brief' }, user(words('x'))),
    context: early,
  },
  'a turn without content': turns(ASKED, { role: 'assistant', content: [] }, user(words('x'))),
  'a call without its result in the next turn': turns(
    ASKED,
    assistant(call('a'), call('b')),
    user(result('a')),
    user(words('x')),
    assistant(words('y')),
    user(words('z')),
  ),
  'a call at the end, which nothing answers': turns(ASKED, assistant(call('a'))),
  'a result of a call that is not in the turn before': turns(user(result('a'), words('x'))),
  'results after other content of their turn': turns(
    ASKED,
    assistant(call('a')),
    user(words('x'), result('a')),
  ),
  'two results of one call': turns(ASKED, assistant(call('a')), user(result('a'), result('a'))),
  'two calls with one id, anywhere in the conversation': turns(
    ASKED,
    assistant(call('a')),
    user(result('a')),
    assistant(call('a')),
    user(result('a')),
  ),
  'blanks at the end of what the assistant is made to begin with': turns(ASKED, assistant(words('Well, '))),
  'a last turn of the assistant, at models since 4.6': {
    ...turns(ASKED, assistant(words('Well'))),
    context: late,
  },
  'a last turn of the assistant that ends with a thought': turns(ASKED, assistant(thinkingBlock('Hm'))),
  'thoughts in a last turn of the assistant while it does not think': turns(
    ASKED,
    assistant(thinkingBlock('Hm'), words('Well')),
  ),
  'calls of tools of its own without their results, but for those that go on': turns(
    ASKED,
    assistant({ type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }, call('a')),
    user(result('a')),
  ),
  'results of tools of its own without their calls': turns(
    ASKED,
    assistant({ type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }, words('x')),
    user(words('y')),
  ),
  'files that are stored': turns(user({ type: 'document', source: { type: 'file', file_id: 'f' } })),
  'tools of types that the host does not have': body({
    tools: [TOOL, { type: 'web_fetch_20250910', name: 'web_fetch' }],
  }),
  'blocks of types that there are not': turns(user(words('x'), { type: 'input_audio', data: '' })),
  'members of a block that there are not': called('a', { index: 1 }),
  'members of a message that there are not': turns({ ...ASKED, name: 'bob' }),
  'metadata but a user’s id of up to 256 characters': body({ metadata: { user_id: 'a', session: 'b' } }),
  'citations of a text that cite nothing': turns(user({ ...words('x'), citations: [] })),
  'blank texts': turns(user(words(' '), words('x'))),
  'results that are errors and say nothing': called('a', {}, { ...result('a', ''), is_error: true }),
  'a turn that is one blank text': turns({ role: 'user', content: '\n' }),
  'media that are neither base64 nor an address': turns(user(image('image/bmp', PNG))),
  'images that are not what they are called': turns(user(image('image/png', JPEG))),
  'thoughts that it did not sign': turns(
    ASKED,
    assistant({ type: 'thinking', thinking: 'Hm', signature: 'bw2.x' }, words('y')),
    user(words('z')),
  ),
  'ids of calls with other characters than letters, digits, _ and -': called('functions.f:0'),
  'names of called tools that are longer than 200 characters': called('a', { name: 'a'.repeat(201) }),
  'names of called tools that no tool may have': called('a', { name: 'fs.read/x' }),
  'input of a call that is no object': called('a', { input: '{}' }),
  'a choice of tools without tools': body({ tools: [], messages: [ASKED] }),
  'calls in a conversation without tools': body({ tools: undefined, tool_choice: undefined }),
  'a choice of a tool that is not among the tools': body({ tool_choice: { type: 'tool', name: 'h' } }),
  'choices other than auto, any, none and tool': body({ tool_choice: { type: 'required' } }),
  'names with other characters than letters, digits, _ and -, or more than 128 of them': tool({
    name: 'a.b',
  }),
  'two tools with one name': body({ tools: [TOOL, TOOL] }),
  'a schema whose root is no object': tool({ input_schema: { type: 'string' } }),
  'unions at the root of a schema': schema({ anyOf: [{ required: ['a'] }, { required: ['b'] }] }),
  'names of properties at the root with other characters than letters, digits, _, . and -, or more than 64':
    schema({ properties: { 'a b': {} } }),
  'schemas that draft 2020-12 does not know': schema({
    properties: { a: { type: 'array', items: [{ type: 'string' }] } },
  }),
  'members of a tool that there are not': tool({ custom: { defer_loading: true } }),
  'a mark of the cache on a tool that is loaded later': body({
    tools: [TOOL, { ...TOOL, name: 'g', defer_loading: true, cache_control: { type: 'ephemeral' } }],
  }),
  'tools of which all are loaded later': tool({ defer_loading: true }),
  'more than 4 marks': turns(
    user(...Array.from({ length: 5 }, () => ({ ...words('x'), cache_control: { type: 'ephemeral' } }))),
  ),
  'a mark of an hour after one of five minutes': turns(
    user(
      { ...words('x'), cache_control: { type: 'ephemeral' } },
      { ...words('y'), cache_control: { type: 'ephemeral', ttl: '1h' } },
    ),
  ),
  'marks of another form': turns(user({ ...words('x'), cache_control: { type: 'ephemeral', ttl: '2h' } })),
  'the scope of a mark without its beta': turns(
    user({ ...words('x'), cache_control: { type: 'ephemeral', scope: 'global' } }),
  ),
  'the scope of a mark': {
    ...turns(user({ ...words('x'), cache_control: { type: 'ephemeral', scope: 'global' } })),
    context: { betas: ['prompt-caching-scope-2026-01-05'] },
  },
  'marks on thoughts': turns(
    ASKED,
    assistant({ ...thinkingBlock('Hm'), cache_control: { type: 'ephemeral' } }, words('x')),
    user(words('y')),
  ),
  'marks on empty texts': turns(user(words('x'), { ...words(''), cache_control: { type: 'ephemeral' } })),
  'forms of thinking that the model does not have': {
    ...body({ thinking: { type: 'adaptive' }, temperature: undefined }),
    context: early,
  },
  'budgets below 1,024 tokens': body({
    thinking: { type: 'enabled', budget_tokens: 1000 },
    temperature: undefined,
  }),
  'budgets that the answer has no room for': body({
    thinking: { type: 'enabled', budget_tokens: 4000 },
    temperature: undefined,
  }),
  'thinking beside a forced tool': body({
    thinking: { type: 'enabled', budget_tokens: 2000 },
    temperature: undefined,
    tool_choice: { type: 'any' },
  }),
  'thinking with a budget in a turn that began without a thought': {
    body: { ...called('a').body, thinking: { type: 'enabled', budget_tokens: 2000 }, temperature: undefined },
  },
  'clearing of thoughts without thinking': {
    ...body({ context_management: { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] } }),
    context: { betas: ['context-management-2025-06-27'] },
  },
  'sampling at models that take none': { ...body({ temperature: 1 }), context: late },
  'temperatures outside of 0 to 1': body({ temperature: 1.5 }),
  'temperature and top_p together, at models since Opus 4.1': body({ top_p: 0.9 }),
  'sampling beside thinking, but for a temperature of 1 and top_p since 0.95': body({
    thinking: { type: 'enabled', budget_tokens: 2000 },
  }),
  'efforts that the model does not have': { ...body({ output_config: { effort: 'high' } }), context: early },
  'schemas of answers at models that take none': {
    ...body({ output_config: { format: { type: 'json_schema', schema: {} } } }),
    context: { model: 'claude-opus-4-1' },
  },
  'bounds and open objects in schemas of answers': body({
    output_config: { format: { type: 'json_schema', schema: { type: 'object' } } },
  }),
  'bounds and open objects in schemas of strict tools': tool({ strict: true }),
  'blank stop sequences': body({ stop_sequences: ['\n'] }),
  'members that the host does not have': body({ seed: 1 }),
  'a speed of models that have one alone': body({ speed: 'fast' }),
  'bodies without a model': body({ model: undefined }),
  'bodies without `anthropic_version` bedrock-2023-05-31': body({}),
  'bodies without `anthropic_version` vertex-2023-10-16': body({}),
  'beta features that the host does not know': {
    ...body({}),
    context: { betas: ['prompt-caching-scope-2026-01-05'] },
  },
  '`eager_input_streaming` of a tool': tool({ eager_input_streaming: true }),
  '`input_examples` of a tool': tool({ input_examples: [{ n: 1 }] }),
  '`defer_loading` of a tool': body({ tools: [TOOL, { ...TOOL, name: 'g', defer_loading: true }] }),
  'media by their address': turns(
    user({ type: 'image', source: { type: 'url', url: 'https://a.example/a.png' } }),
  ),
};
