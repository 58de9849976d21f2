import { signatureOf } from '../../support/fakes/fake-anthropic/answer.js';
import { type Examples, JPEG, PNG } from './example.js';

const image = (format: string, bytes: string) => ({ image: { format, source: { bytes } } });
const document = (name: string) => ({ document: { format: 'pdf', name, source: { bytes: PNG } } });
const user = (...content: readonly unknown[]) => ({ role: 'user', content });
const assistant = (...content: readonly unknown[]) => ({ role: 'assistant', content });
const call = (toolUseId: string, more: object = {}) => ({
  toolUse: { toolUseId, name: 'f', input: { n: 1 }, ...more },
});
const result = (toolUseId: string, ...content: readonly unknown[]) => ({
  toolResult: { toolUseId, content },
});
const thought = (text: string) => ({
  reasoningContent: { reasoningText: { text, signature: signatureOf(text) } },
});
const SPEC = {
  name: 'f',
  description: 'F',
  inputSchema: { json: { type: 'object', properties: { n: { type: 'integer' } } } },
};
const POINT = { cachePoint: { type: 'default' } };
const ASKED = user({ text: 'Hi' }, image('png', PNG));

/** A body that every rule for Converse admits, of whatever model. */
export const CONVERSE_BASE = {
  system: [{ text: 'Brief' }],
  inferenceConfig: { maxTokens: 4000, temperature: 1, stopSequences: ['END'] },
  toolConfig: { tools: [{ toolSpec: SPEC }], toolChoice: { auto: {} } },
  messages: [
    ASKED,
    assistant({ text: 'Look' }, call('abcdefgh1'), call('abcdefgh2')),
    user(result('abcdefgh1', { text: 'Sun' }), result('abcdefgh2', { json: { sun: true } }), { text: 'So?' }),
  ],
};

/** The same where a turn is of words, of calls, or of results. */
export const CONVERSE_APART = {
  ...CONVERSE_BASE,
  messages: [
    ASKED,
    assistant({ text: 'Look' }),
    user({ text: 'Do' }),
    assistant(call('abcdefgh1'), call('abcdefgh2')),
    user(result('abcdefgh1', { text: 'Sun' }), result('abcdefgh2', { json: { sun: true } })),
    assistant({ text: 'Fine' }),
    user({ text: 'So?' }),
  ],
};

const body = (more: object) => ({ body: { ...CONVERSE_BASE, ...more } });
const turns = (...messages: readonly unknown[]) => body({ messages });
const called = (more: object) =>
  turns(ASKED, assistant(call('abcdefgh1', more)), user(result('abcdefgh1', { text: 'x' })));
const tool = (more: object) => body({ toolConfig: { tools: [{ toolSpec: { ...SPEC, ...more } }] } });
const schema = (json: object) => tool({ inputSchema: { json: { type: 'object', ...json } } });
const ids = (id: string) => turns(ASKED, assistant(call(id)), user(result(id, { text: 'x' })));
const fields = (additionalModelRequestFields: object) => body({ additionalModelRequestFields });

export const CONVERSE_EXAMPLES: Examples = {
  'members that the operation does not have': body({ max_tokens: 1 }),
  'half of a surrogate pair': turns(user({ text: 'a\ud83d' })),
  'a conversation that does not begin with the user': turns(assistant({ text: 'Hi' }), user({ text: 'x' })),
  'two turns of one side in a row': turns(ASKED, user({ text: 'x' })),
  'roles other than user and assistant': turns(ASKED, { role: 'system', content: [{ text: 'x' }] }),
  'turns without content': turns(ASKED, assistant(), user({ text: 'x' })),
  'calls without their results in the next turn': turns(
    ASKED,
    assistant(call('abcdefgh1')),
    user({ text: 'x' }),
  ),
  'results without a call in the turn before': turns(user(result('abcdefgh1', { text: 'x' }))),
  'ids that occur twice in a turn': turns(
    ASKED,
    assistant(call('abcdefgh1'), call('abcdefgh1')),
    user(result('abcdefgh1', { text: 'x' })),
  ),
  'calls in turns of the user, and results in those of the assistant': turns(
    user({ text: 'x' }, call('abcdefgh1')),
  ),
  'calls and results without tools': body({ toolConfig: undefined }),
  'limits and sampling out of range': body({ inferenceConfig: { temperature: 1.5 } }),
  'blocks of kinds that there are not': turns(user({ text: 'x', cachePoint: { type: 'default' } })),
  'blank texts, but in results': turns(user({ text: ' ' })),
  'images in formats other than png, jpeg, gif and webp, in lower case': turns(user(image('jpg', JPEG))),
  'images that are not what they are called': turns(user(image('png', JPEG))),
  'names of documents with other characters, and the same name twice': turns(
    user({ text: 'x' }, document('a.pdf')),
  ),
  'a document in a turn without text': turns(user(document('a'))),
  'ids of calls with other characters than letters, digits, _ and -, or more than 64 of them':
    ids('functions.f:0'),
  'names of tools with other characters than letters, digits, _ and -, or more than 64; in the history too':
    called({ name: 'a.b' }),
  'input of calls that is no object': called({ input: '{"n": 1' }),
  'JSON in results that is no object': turns(
    ASKED,
    assistant(call('abcdefgh1')),
    user(result('abcdefgh1', { json: [1] })),
  ),
  'a list of tools without tools': body({ toolConfig: { tools: [] } }),
  'schemas whose root is no object': tool({ inputSchema: { json: { oneOf: [] } } }),
  'empty descriptions of tools': tool({ description: '' }),
  'choices of tools other than auto, any and tool': body({
    toolConfig: { tools: [{ toolSpec: SPEC }], toolChoice: { none: {} } },
  }),
  'unions at the root of a schema': schema({ anyOf: [{ required: ['n'] }] }),
  'names of properties with other characters than letters, digits, _, . and -': schema({
    properties: { 'a b': {} },
  }),
  'schemas that draft 2020-12 does not know': schema({ properties: { a: { items: [{}] } } }),
  'two tools with one name': body({ toolConfig: { tools: [{ toolSpec: SPEC }, { toolSpec: SPEC }] } }),
  'two calls with one id, anywhere in the conversation': turns(
    ASKED,
    assistant(call('abcdefgh1')),
    user(result('abcdefgh1', { text: 'x' })),
    assistant(call('abcdefgh1')),
    user(result('abcdefgh1', { text: 'y' })),
  ),
  'thoughts that it did not sign': turns(
    ASKED,
    assistant({ reasoningContent: { reasoningText: { text: 'Hm', signature: 'x' } } }, { text: 'y' }),
    user({ text: 'z' }),
  ),
  'budgets of thinking below 1,024 tokens or beyond the answer': fields({
    thinking: { type: 'enabled', budget_tokens: 4000 },
  }),
  'thinking beside a forced tool': body({
    additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 2000 } },
    toolConfig: { tools: [{ toolSpec: SPEC }], toolChoice: { any: {} } },
  }),
  'a last turn of the assistant, at models since 4.6': {
    ...turns(ASKED, assistant(thought('Hm'), { text: 'Well' })),
    context: { model: 'anthropic.claude-opus-4-6-v1' },
  },
  'blanks at the end of what the assistant is made to begin with': turns(
    ASKED,
    assistant({ text: 'Well, ' }),
  ),
  'words beside calls in a turn': turns(
    ASKED,
    assistant({ text: 'Look' }, call('abcdefgh1')),
    user(result('abcdefgh1', { text: 'x' })),
  ),
  'words beside results in a turn': turns(
    ASKED,
    assistant(call('abcdefgh1')),
    user(result('abcdefgh1', { text: 'x' }), { text: 'So?' }),
  ),
  'a last turn of the assistant that ends with a thought': turns(ASKED, assistant(thought('Hm'))),
  'thoughts in a last turn of the assistant while it does not think': turns(
    ASKED,
    assistant(thought('Hm'), { text: 'Well' }),
  ),
  'a cache point right after a thought': turns(
    ASKED,
    assistant({ text: 'x' }, thought('Hm'), POINT),
    user({ text: 'y' }),
  ),
  'names of tools that do not begin with a letter, or have other characters than letters, digits and _': tool(
    {
      name: 'fetch-fetch',
    },
  ),
  'a cache of an hour': turns(user({ text: 'x' }, { cachePoint: { type: 'default', ttl: '1h' } })),
  'more than four cache points': turns(user({ text: 'x' }, POINT, POINT, POINT, POINT, POINT)),
  'a cache point of an hour after one of five minutes': turns(
    user({ text: 'x' }, POINT, { cachePoint: { type: 'default', ttl: '1h' } }),
  ),
  'cache points': turns(user({ text: 'x' }, POINT)),
  'tools in a stream': { ...body({}), context: { isStreamed: true } },
  'images and documents in results': turns(
    ASKED,
    assistant(call('abcdefgh1')),
    user(result('abcdefgh1', image('png', PNG))),
  ),
  'a forced tool': body({ toolConfig: { tools: [{ toolSpec: SPEC }], toolChoice: { any: {} } } }),
  "fields of the model's own other than those it has": fields({ thinking: { type: 'disabled' } }),
  'a topK outside of 1 to 128': fields({ inferenceConfig: { topK: 200 } }),
  'words at the root of a schema other than type, properties, required and description': schema({
    title: 'F',
  }),
  'several texts of the system': body({ system: [{ text: 'a' }, { text: 'b' }] }),
  'cache points after tools': body({ toolConfig: { tools: [{ toolSpec: SPEC }, POINT] } }),
};
