import { type Examples, PNG } from './example.js';

const user = (...parts: readonly unknown[]) => ({ role: 'user', parts });
const model = (...parts: readonly unknown[]) => ({ role: 'model', parts });
const call = (name: string, more: object = {}) => ({
  functionCall: { name, args: { n: 1 } },
  thoughtSignature: 'CiEABC-_',
  ...more,
});
const response = (name: string, value: unknown = { sun: true }) => ({
  functionResponse: { name, response: value },
});
const DECLARED = {
  name: 'f',
  description: 'F',
  parametersJsonSchema: { type: 'object', properties: { a: { $ref: '#/$defs/A' } }, $defs: { A: {} } },
};
const ASKED = user({ text: 'Hi' }, { inlineData: { mimeType: 'image/png', data: PNG } });

/** A body that every rule for `generateContent` admits. */
export const GEMINI_BASE = {
  systemInstruction: { parts: [{ text: 'Brief' }] },
  tools: [{ functionDeclarations: [DECLARED, { name: 'g_1.a-b' }] }],
  toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
  generationConfig: { temperature: 1.5, maxOutputTokens: 4000, stopSequences: ['END'], candidateCount: 2 },
  contents: [
    ASKED,
    model({ text: 'Look' }, call('f'), { functionCall: { name: 'g_1.a-b', args: {} } }),
    user(response('f'), response('g_1.a-b')),
  ],
};

const body = (more: object) => ({ body: { ...GEMINI_BASE, ...more } });
const contents = (...turns: readonly unknown[]) => body({ contents: turns });
const called = (more: object) => contents(ASKED, model(call('f', more)), user(response('f')));
const tool = (more: object) => body({ tools: [{ functionDeclarations: [{ ...DECLARED, ...more }] }] });
const config = (generationConfig: object) => body({ generationConfig });
const thinking = (thinkingConfig: object) => config({ thinkingConfig });
const mode = (functionCallingConfig: object) => body({ toolConfig: { functionCallingConfig } });

export const GEMINI_EXAMPLES: Examples = {
  'members that the method does not have': contents(user({ text: 'x', cache_control: {} })),
  'half of a surrogate pair': contents(user({ text: 'a\ud83d' })),
  'requests without contents': contents(),
  'roles other than user and model': contents({ role: 'assistant', parts: [{ text: 'x' }] }),
  'contents without parts': contents(ASKED, model(), user({ text: 'x' })),
  'empty texts': contents(user({ text: '' })),
  'arguments and responses that are no objects': contents(
    ASKED,
    model(call('f')),
    user(response('f', 'Sun')),
  ),
  'names of calls and responses that no function may have': contents(
    ASKED,
    model(call('3d')),
    user(response('3d')),
  ),
  'calls that do not follow the user or a response': contents(
    ASKED,
    model({ text: 'x' }),
    model(call('f')),
    user(response('f')),
  ),
  'other responses than the calls of the turn before, in their order': contents(
    ASKED,
    model(call('f')),
    user({ text: 'x' }),
  ),
  'a conversation that ends with the model': contents(ASKED, model({ text: 'Well' })),
  'a conversation that begins with the model': contents(model({ text: 'Hi' }), user({ text: 'x' })),
  'data that are not in base64, or of no type': contents(user({ inlineData: { data: PNG } })),
  'images other than PNG, JPEG, WebP and HEIC, by what they are called': contents(
    user({ inlineData: { mimeType: 'image/gif', data: PNG } }),
  ),
  'calls without a signature, since Gemini 3: the first one of each turn': {
    ...called({ thoughtSignature: undefined }),
    context: { model: 'gemini-3-pro-preview' },
  },
  'signatures that are not in base64, of either alphabet': called({ thoughtSignature: 'bw2.x.y' }),
  'members of tools and of the configuration that there are not': config({ max_tokens: 1 }),
  'names that begin with anything but a letter or _, with other characters than letters, digits, _, . and -, or more than 64':
    tool({ name: '3d' }),
  'parameters that are no object': tool({ parametersJsonSchema: { properties: {} } }),
  'words of JSON Schema in `parameters` that its own schema lacks': tool({
    parametersJsonSchema: undefined,
    parameters: { type: 'OBJECT', additionalProperties: false },
  }),
  'parameters in both forms': tool({ parameters: { type: 'OBJECT' } }),
  'references with other words beside them, but for those that begin with $': tool({
    parametersJsonSchema: { type: 'object', properties: { a: { $ref: '#/$defs/A', description: 'x' } } },
  }),
  'modes of calling that there are not, and names without a mode that forces them, or of no function': mode({
    mode: 'AUTO',
    allowedFunctionNames: ['f'],
  }),
  'a mode of calling without functions': body({
    tools: undefined,
    toolConfig: { functionCallingConfig: { mode: 'ANY' } },
  }),
  'lists of functions without functions': body({
    tools: [{ functionDeclarations: [] }],
    toolConfig: undefined,
  }),
  'functions beside tools of its own, before Gemini 3': {
    ...body({ tools: [...GEMINI_BASE.tools, { googleSearch: {} }] }),
    context: { model: 'gemini-2.5-pro' },
  },
  'functions beside an answer in JSON, before Gemini 3': {
    ...config({ responseMimeType: 'application/json' }),
    context: { model: 'gemini-2.5-pro' },
  },
  'empty stop sequences, and more than five': config({ stopSequences: ['1', '2', '3', '4', '5', '6'] }),
  'a schema without a type of media, and log probabilities that were not asked for': config({
    responseJsonSchema: {},
  }),
  'sampling out of range': config({ candidateCount: 9 }),
  'penalties, since Gemini 2.5': config({ frequencyPenalty: 0.5 }),
  'log probabilities, since Gemini 3': {
    ...config({ responseLogprobs: true }),
    context: { model: 'gemini-3-pro-preview' },
  },
  'a budget and a level of thinking together': thinking({ thinkingBudget: 100, thinkingLevel: 'LOW' }),
  'thinking, at models that do none': {
    ...thinking({ thinkingBudget: 100 }),
    context: { model: 'gemini-2.0-flash-001' },
  },
  'levels of thinking before Gemini 3': {
    ...thinking({ thinkingLevel: 'LOW' }),
    context: { model: 'gemini-2.5-flash' },
  },
  'levels of thinking that the model does not have': {
    ...thinking({ thinkingLevel: 'MEDIUM' }),
    context: { model: 'gemini-3-pro-preview' },
  },
  'budgets of thinking out of range, and none at a Pro': thinking({ thinkingBudget: 0 }),
};
