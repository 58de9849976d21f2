/** What users of other gateways have reported of this API, each as the promise that it breaks. */
import { describe, expect, it } from 'vitest';
import type { FakePlan } from '../../support/fakes/fake-openai/plan.js';
import { chunksOf } from '../../support/openai-sdk.js';
import { bodyOf, type Row } from '../../support/rest.js';
import { eventsIn, responseIn, startResponses } from './responses.fixture.js';

const user = (content: unknown) => ({ type: 'message', role: 'user', content });
const call = (more: object = {}) => ({
  type: 'function_call',
  call_id: 'call_1',
  name: 'look',
  arguments: '{}',
  ...more,
});
const output = (more: object = {}) => ({
  type: 'function_call_output',
  call_id: 'call_1',
  output: 'found',
  ...more,
});
const LOOK = { type: 'function', name: 'look', parameters: { type: 'object', properties: {} } };
const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** What a server says whose template or parser takes other conversations. */
const refusal = (message: string) => ({
  status: 400,
  body: { error: { message, type: 'BadRequestError', code: 400 } },
});

/** Sends it to a host of chats, and returns what the host got last. */
async function chatFor(
  body: object,
  plans: readonly FakePlan[] = [{}],
): Promise<Row & { readonly messages: readonly Row[] }> {
  const { ask, sent } = await startResponses(plans);
  const answer = await ask({ model: 'test/chat', ...body });
  expect([answer.status, answer.status === 200 || answer.text]).toEqual([200, true]);
  return sent() as Row & { readonly messages: readonly Row[] };
}

const rolesOf = ({ messages }: { readonly messages: readonly Row[] }) => messages.map(({ role }) => role);

describe('what a host of chats is sent', () => {
  // ai-dynamo/dynamo#10206, BerriAI/litellm#39282
  it('a host that wants its system message first is asked once more, with later ones as words of the user', async () => {
    const body = await chatFor(
      {
        instructions: 'Be brief.',
        input: [user('Hi'), { type: 'message', role: 'developer', content: 'Be polite.' }, user('Go on')],
      },
      [refusal('System message must be at the beginning.'), {}],
    );
    expect(rolesOf(body)).toEqual(['system', 'user', 'user', 'user']);
    expect(JSON.stringify(body.messages[0])).toContain('Be brief.');
    expect(JSON.stringify(body.messages)).toContain('Be polite.');
  });

  // router-for-me/CLIProxyAPI#2620
  it('outputs stand right after their calls, and a message between them after the outputs', async () => {
    const body = await chatFor({ tools: [LOOK], input: [user('Hi'), call(), user('Hurry up'), output()] });
    expect(rolesOf(body)).toEqual(['user', 'assistant', 'tool', 'user']);
  });

  // openai/codex#44723, #41690
  it('an output that names no call is a message of the user', async () => {
    const { call_id: _, ...nameless } = output({ output: 'The build is done.' });
    const body = await chatFor({ input: [user('Hi'), nameless] });
    expect(rolesOf(body).every((role) => role === 'user')).toBe(true);
    expect(JSON.stringify(body.messages)).toContain('The build is done.');
  });

  // ollama/ollama#18286
  it('the message of another agent is one of the user', async () => {
    const content = [{ type: 'encrypted_content', encrypted_content: 'Please test the parser.' }];
    const body = await chatFor({ input: [user('Hi'), { type: 'agent_message', content }] });
    expect(JSON.stringify(body.messages)).toContain('Please test the parser.');
  });

  // router-for-me/CLIProxyAPI#4491
  it('a choice of tools goes with the last tool', async () => {
    const body = await chatFor({
      ...{ tools: [], tool_choice: 'auto', parallel_tool_calls: true },
      input: [user('Hi'), call(), output(), user('Summarise')],
    });
    expect(body).not.toHaveProperty('tool_choice');
    expect(body).not.toHaveProperty('parallel_tool_calls');
  });

  // ggml-org/llama.cpp#23380, farion1231/cc-switch#6697
  it('an image in an output is shown by a message of the user after all outputs', async () => {
    const image = output({
      output: [
        { type: 'input_text', text: 'A picture' },
        { type: 'input_image', image_url: PIXEL },
      ],
    });
    const body = await chatFor({
      tools: [LOOK],
      input: [user('Hi'), call(), call({ call_id: 'call_2' }), image, output({ call_id: 'call_2' })],
    });
    expect(rolesOf(body)).toEqual(['user', 'assistant', 'tool', 'tool', 'user']);
    expect(JSON.stringify(body.messages.at(-1))).toContain('data:image/png');
    expect(JSON.stringify(body.messages.slice(0, -1))).not.toContain('data:image/png');
  });

  // MetaFARS/codex-relay#57, router-for-me/CLIProxyAPI#5362
  it.each(['', '"now"', 'null', '{"cut": "'])(
    'a host that reads the arguments of earlier calls has an object for %j',
    async (written) => {
      const input = [user('Hi'), call({ arguments: written }), output()];
      const plans = [refusal('Failed to parse tool call arguments as JSON'), {}];
      const body = await chatFor({ tools: [LOOK], input }, plans);
      const [made] = (body.messages[1]?.tool_calls ?? []) as readonly {
        readonly function: { readonly arguments: string };
      }[];
      expect(JSON.parse(made?.function.arguments ?? '')).toBeTypeOf('object');
      expect(JSON.parse(made?.function.arguments ?? '')).not.toBeNull();
    },
  );

  // Wei-Shaw/sub2api#5520
  it('readable reasoning of an earlier turn goes with the turn that it belongs to', async () => {
    const thought = {
      type: 'reasoning',
      id: 'rs_1',
      summary: [],
      content: [{ type: 'reasoning_text', text: 'Look first.' }],
    };
    const { ask, host } = await startResponses();
    const input = [user('Hi'), thought, call(), output()];
    expect((await ask({ model: 'test/chat', tools: [LOOK], input })).status).toBe(200);
    expect(host.requests.at(-1)?.body.messages?.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
    ]);
  });

  // weave-os/router#778
  it('an effort that the model does not know becomes the nearest that it does', async () => {
    const { ask } = await startResponses([{}], {
      model: { reasoning: { mandatory: false, supported_efforts: ['low', 'high'] } },
    });
    expect((await ask({ model: 'test/chat', input: 'Hi', reasoning: { effort: 'max' } })).status).toBe(200);
  });

  // looplj/axonhub#1311
  it('a function without parameters, or with a bare object, has an empty object of properties', async () => {
    const bare = { type: 'function', name: 'bare', parameters: { type: 'object' } };
    const body = await chatFor({
      input: 'Hi',
      tools: [bare, { type: 'function', name: 'none', parameters: null }],
    });
    for (const tool of body.tools as readonly { readonly function: Row }[])
      expect(tool.function.parameters).toMatchObject({ type: 'object', properties: {} });
  });

  // lidge-jun/opencodex#5211
  it('only the tools that are allowed are offered, and none where none is left', async () => {
    const tools = [LOOK, { ...LOOK, name: 'other' }];
    const allowed = (...names: readonly string[]) => ({
      ...{ type: 'allowed_tools', mode: 'auto' },
      tools: names.map((name) => ({ type: 'function', name })),
    });
    const some = await chatFor({ input: 'Hi', tools, tool_choice: allowed('other') });
    expect((some.tools as readonly { readonly function: Row }[]).map((tool) => tool.function.name)).toEqual([
      'other',
    ]);
    const none = await chatFor({ input: 'Hi', tools, tool_choice: allowed('nobody') });
    expect(none.tools ?? []).toEqual([]);
  });
});

describe('what a host that speaks the format is sent', () => {
  // jlcodes99/cockpit-tools#2090
  it('ids that are none of its own are left out, and what calls are called stays', async () => {
    const { ask, sent } = await startResponses();
    const thought = { type: 'reasoning', id: 'toolu_1', summary: [], encrypted_content: 'bw2.AAAA.e30' };
    const input = [user('Hi'), thought, call({ id: 'call_9' }), output()];
    const answer = await ask({ model: 'test/responses', tools: [LOOK], input });
    expect([answer.status, answer.status === 200 || answer.text]).toEqual([200, true]);
    const items = sent().input as readonly Row[];
    expect(items.filter(({ type }) => type === 'reasoning')).toEqual([]);
    expect(items.find(({ type }) => type === 'function_call')).toMatchObject({ call_id: 'call_1' });
    expect(JSON.stringify(items)).not.toContain('call_9');
  });
});

describe('what comes back', () => {
  const tools = [LOOK];
  const started = (index: number, id: string, name = 'look') => ({
    tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }],
  });
  const grown = (index: number, args: string) => ({ tool_calls: [{ index, function: { arguments: args } }] });

  async function streamed(chunks: readonly object[], body: object = {}) {
    const { ask } = await startResponses([{ chunks }]);
    return ask({ model: 'test/chat', stream: true, input: 'Hi', tools, ...body });
  }

  // maximhq/bifrost#3519
  it('usage that comes after the finish reason is in the last event', async () => {
    const usage = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 };
    const answer = await streamed([...chunksOf([{ content: 'Hi' }], 'stop'), { choices: [], usage }]);
    expect(responseIn(answer)).toMatchObject({
      status: 'completed',
      usage: { input_tokens: 7, output_tokens: 5 },
    });
  });

  // bigduu/Bamboo-agent#405
  it('an answer that the provider cuts off has failed, and does not look complete', async () => {
    const { ask } = await startResponses([{ cutAfterBytes: 600 }]);
    const answer = await ask({ model: 'test/chat', stream: true, input: 'Hi' });
    const types = eventsIn(answer).map(({ type }) => type);
    expect(types.at(-1)).toBe('response.failed');
    expect(types).not.toContain('response.completed');
    expect(responseIn(answer)).toMatchObject({ status: 'failed', error: { code: expect.any(String) } });
  });

  // decolua/9router#2611
  it('items are counted by one counter, whatever the provider counts calls by', async () => {
    const answer = await streamed(
      chunksOf([{ content: 'Well' }, started(0, 'c1'), grown(0, '{}')], 'tool_calls'),
    );
    const added = eventsIn(answer).filter(({ type }) => type === 'response.output_item.added');
    expect(added.map(({ output_index }) => output_index)).toEqual([0, 1]);
    expect((responseIn(answer).output as readonly Row[]).map(({ type }) => type)).toEqual([
      'message',
      'function_call',
    ]);
  });

  // NousResearch/hermes-agent#7693
  it('a call whose arguments break off is incomplete, whatever the provider says', async () => {
    const answer = await streamed(chunksOf([started(0, 'c1'), grown(0, '{"path": "/et')], 'tool_calls'));
    const [made] = responseIn(answer).output as readonly Row[];
    expect(made).toMatchObject({ type: 'function_call', status: 'incomplete' });
    expect(responseIn(answer)).toMatchObject({ status: 'incomplete' });
  });

  // BerriAI/litellm#28691
  it('thoughts between tags are a reasoning item, even where a tag is split', async () => {
    const deltas = ['<thi', 'nk>Hm', '</th', 'ink>', 'Hello'].map((content) => ({ content }));
    const { ask, host } = await startResponses([{ chunks: chunksOf(deltas, 'stop') }]);
    const answer = await ask({
      model: 'test/chat',
      stream: true,
      input: 'Hi',
      reasoning: { summary: 'auto' },
    });
    expect(host.requests).toHaveLength(1);
    const items = responseIn(answer).output as readonly Row[];
    expect(JSON.stringify(items)).toContain('Hello');
  });

  // vllm-project/vllm#56285
  it('an item is the same in the event that ends it and in the answer', async () => {
    const answer = await streamed(
      chunksOf([{ content: 'Well' }, started(0, 'c1'), grown(0, '{}')], 'tool_calls'),
    );
    const done = eventsIn(answer).filter(({ type }) => type === 'response.output_item.done');
    expect(responseIn(answer).output).toEqual(done.map(({ item }) => item));
  });

  // intrafind/ihub-apps#1954, vercel/ai#7834
  it('a new id is a new call even at an index that was used, and a call without an id gets one', async () => {
    const again = chunksOf(
      [started(0, 'c1'), grown(0, '{}'), started(0, 'c2'), grown(0, '{}')],
      'tool_calls',
    );
    const calls = responseIn(await streamed(again)).output as readonly Row[];
    expect(calls.map(({ call_id }) => call_id)).toEqual(['c1', 'c2']);
    const nameless = responseIn(await streamed(chunksOf([started(0, ''), grown(0, '{}')], 'tool_calls')));
    expect((nameless.output as readonly Row[])[0]?.call_id).toMatch(/./);
  });

  // router-for-me/CLIProxyAPI#5279
  it('a conversation that ends with the assistant is answered', async () => {
    const { ask } = await startResponses();
    const answer = await ask({
      model: 'test/chat',
      input: [user('Hi'), { type: 'message', role: 'assistant', content: 'Well,' }],
    });
    expect(bodyOf(answer)).toMatchObject({ status: 'completed' });
  });
});
