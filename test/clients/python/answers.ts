/** What models at strict hosts answer to the scripts, and what the scripts hear of it. */
import type { Host } from '../../support/hosts/table.js';

/** What is asked for an answer in a schema. */
export const IN_SCHEMA = 'Answer in the schema';

/** The result of the tool, which the scripts say. */
const RESULT = 'Rain';
const TEXT = 'Grüezi mitenand 👋🏽!';
const CALL = ['weather', { city: 'Zürich' }] as const;

/** What the model calls once it knows the weather: pydantic-ai's tool for the answer. */
const FINAL = { name: 'final_result', input: { answer: '42' } };

/** A plan of the host: the schema's answer by a call where there are tools, in words elsewhere. */
export function planOf({ format }: Host): (body: object) => object {
  return (body) => {
    const request = JSON.stringify(body);
    if (!request.includes(IN_SCHEMA)) return {};
    if (!('tools' in body) && !('toolConfig' in body)) return { words: ['{"answer":', ' "42"}'] };
    if (!request.includes(CALL[0])) return { tool: { ...FINAL, name: '' } };
    if (!request.includes(RESULT)) return { tool: { name: CALL[0], input: CALL[1] } };
    return callOf(format);
  };
}

/** A call after a result, which fakes do not make by themselves. */
function callOf(format: Host['format']): object {
  const { name, input } = FINAL;
  const calls = [{ id: 'call_fake2', name, input }];
  switch (format) {
    case 'gemini':
      return { parts: [{ functionCall: { name, args: input } }] };
    case 'messages':
      return { content: [{ type: 'tool_use', id: 'toolu_2', name, input }] };
    default:
      return { calls, content: [{ type: 'tool_use', id: 'toolu_2', name, input }] };
  }
}

/** Whether a request for an answer in a schema has the schema's only property. */
export function hasSchema(request: string): boolean {
  return /\\?"answer\\?"/.test(request);
}

type Cases = Readonly<Record<string, unknown>>;

function named(names: readonly string[], outcome: unknown): Cases {
  return Object.fromEntries(names.map((name) => [name, outcome]));
}

export function ofOpenAi(model: string): Cases {
  const said = { text: TEXT, finish_reason: 'stop', model, calls: [] };
  const called = { text: '', finish_reason: 'tool_calls', model, calls: [CALL] };
  return {
    ...named(['whole', 'streamed'], said),
    chunks: TEXT,
    ...named(['tools', 'streamed tools'], [called, said]),
    ...named(['parsed', 'streamed and parsed'], '42'),
    asynchronous: [said, said],
    retrieved: model,
  };
}

export function ofLangChain(): Cases {
  const said = { text: TEXT, calls: [] };
  const called = { text: '', calls: [CALL] };
  return {
    ...named(['whole', 'streamed'], said),
    ...named(
      ['tools', 'streamed tools', 'tools by responses', 'streamed tools by responses'],
      [called, said],
    ),
    ...named(['in a schema', 'in a schema, by a call', 'in JSON'], '42'),
    asynchronous: [said, TEXT],
  };
}

export function ofLiteLlm(): Cases {
  const said = { text: TEXT, finish_reason: 'stop', calls: [] };
  const called = { text: '', finish_reason: 'tool_calls', calls: [CALL] };
  const ofWay = (way: string) => ({
    ...named([`${way}, whole`, `${way}, streamed`], said),
    ...named([`${way}, tools`, `${way}, streamed tools`], [called, said]),
    [`${way}, in a schema`]: '42',
    [`${way}, asynchronous`]: [said, TEXT],
  });
  return { ...ofWay('openai/'), ...ofWay('custom'), ...ofWay('anthropic/') };
}

const INSTRUCTOR_MODES = [
  ...['TOOLS', 'TOOLS_STRICT', 'JSON', 'MD_JSON', 'JSON_SCHEMA', 'RESPONSES_TOOLS'],
  ...['ANTHROPIC_TOOLS', 'ANTHROPIC_JSON'],
];

export function ofInstructor(): Cases {
  return named(
    INSTRUCTOR_MODES.flatMap((mode) => [mode, `${mode}, streamed`]),
    '42',
  );
}

export function ofPydanticAi(): Cases {
  const ofApi = (api: string) => ({
    [`${api}, tools`]: [TEXT, TEXT, [CALL[1].city, CALL[1].city]],
    ...named(
      ['in a schema, by a call', 'in a schema', 'in a schema, by the prompt'].map(
        (form) => `${api}, ${form}`,
      ),
      ['42', '42'],
    ),
    [`${api}, a tool and a schema`]: '42',
  });
  return { ...ofApi('chat'), ...ofApi('responses'), ...ofApi('messages') };
}
