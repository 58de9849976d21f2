import { describe, expect, it } from 'vitest';
import { LeftOut, withinShape } from '../../../src/formats/shared-capacity/left-out.js';
import { isPlain } from '../../../src/formats/shared-capacity/plain.js';
import { RequestReach } from '../../../src/formats/shared-capacity/reach.js';
import { RESPONSES_REQUEST } from '../../../src/formats/shared-capacity/responses-members.js';
import { workIn } from '../../../src/formats/shared-capacity/work.js';

const A = { type: 'function', name: 'a', parameters: {}, strict: false };
const SEARCH = { type: 'web_search', external_web_access: false };

function within(body: object) {
  const leftOut = new LeftOut();
  const kept = withinShape({ model: 'm', ...body }, RESPONSES_REQUEST, new Set(), leftOut);
  return { kept, leftOut: leftOut.names };
}

function reach(body: object) {
  return new RequestReach({}, { format: 'responses', body: { model: 'm', ...body } }).sentAs('responses');
}

describe('tools that hosts run', () => {
  it.each([
    ['auto', true],
    [undefined, true],
    ['none', true],
    ['required', true],
    [{ type: 'function', name: 'a' }, true],
    [{ type: 'allowed_tools', tools: [{ type: 'web_search' }] }, true],
    [{ type: 'allowed_tools', mode: 'required', tools: [{ type: 'web_search' }] }, false],
    [{ type: 'web_search' }, false],
  ])('are done without unless the choice %j forces them', (tool_choice, isOptional) => {
    expect(workIn('responses', { tools: [A, SEARCH], tool_choice })).toMatchObject([
      { type: 'web_search', path: 'tools[1]', isOptional },
    ]);
  });

  it('are forced where one is required, and there are no others', () => {
    expect(workIn('responses', { tools: [SEARCH], tool_choice: 'required' })).toMatchObject([
      { isOptional: false },
    ]);
  });

  it('are limited by max_tool_calls', () => {
    expect(workIn('responses', { tools: [SEARCH] })).toMatchObject([
      { maxUses: null, maxTurns: null, boundedBy: 'max_tool_calls' },
    ]);
    expect(workIn('responses', { tools: [SEARCH], max_tool_calls: 3 })).toMatchObject([
      { maxUses: 3, maxTurns: 4 },
    ]);
    expect(workIn('responses', { tools: [SEARCH], max_tool_calls: '3' })).toMatchObject([{ maxUses: null }]);
  });

  it.each([
    { type: 'local_shell' },
    { type: 'apply_patch' },
    { type: 'shell' },
    { type: 'shell', environment: { type: 'local' } },
    { type: 'tool_search', execution: 'client' },
    { type: 'namespace', name: 'n', tools: [A] },
    { type: 'custom', name: 'c' },
    { type: 'computer_use_preview' },
  ])('%j are not among them: the client runs it', (tool) => {
    expect(workIn('responses', { tools: [tool] })).toEqual([]);
  });

  it('are found in what the input adds', () => {
    const input = [{ type: 'additional_tools', tools: [{ type: 'mcp', server_url: 'https://s.example' }] }];
    expect(workIn('responses', { input })).toMatchObject([{ type: 'mcp', path: 'input[0].tools[0]' }]);
  });

  it('and those that are new are left out over shared capacity, named, and exclude no endpoint', () => {
    const body = { tools: [A, SEARCH, { type: 'acme:new', file_id: 'file-1' }], input: 'Hi' };
    expect(within(body)).toEqual({
      kept: { model: 'm', tools: [A], input: 'Hi' },
      leftOut: ['tools.web_search', 'tools.acme:new'],
    });
    expect(reach(body)).toMatchObject({ owned: [], unpriced: [] });
  });

  it('are known by the servers that they call, wherever the request may go', () => {
    expect(reach({ tools: [{ type: 'mcp', server_url: 'https://s.example' }] }).locations).toMatchObject([
      { field: 'tools[0].server_url' },
    ]);
  });
});

describe('the closed list of Responses requests', () => {
  it('has all that Codex sends', () => {
    const body = {
      ...{ model: 'm', stream: true, store: false, instructions: 'I', parallel_tool_calls: true },
      ...{ tool_choice: 'auto', prompt_cache_key: 'k', include: ['reasoning.encrypted_content'] },
      ...{ reasoning: { effort: 'high', summary: 'auto' }, text: { verbosity: 'low' } },
      tools: [A, { type: 'namespace', name: 'n', description: 'N.', tools: [A] }],
      input: [
        { type: 'message', id: 'msg_1', role: 'developer', content: [{ type: 'input_text', text: 'D' }] },
        { type: 'reasoning', id: 'rs_1', summary: [], content: null, encrypted_content: 'gAAAA' },
        { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'a', namespace: 'n', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: 'x' },
        { type: 'custom_tool_call', call_id: 'd', name: 'p', input: 'x', status: 'completed' },
        {
          type: 'custom_tool_call_output',
          call_id: 'd',
          output: [{ type: 'input_image', image_url: 'data:image/png;base64,AA==' }],
        },
        { type: 'agent_message', author: '/root', recipient: '/root/a', content: [] },
      ],
    };
    expect(isPlain(body, RESPONSES_REQUEST)).toBe(true);
    expect(within({ ...body, client_metadata: { path: '/home/u' } })).toEqual({
      kept: body,
      leftOut: ['client_metadata'],
    });
  });

  it.each([
    { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'file-1' }] }] },
    { input: [{ type: 'item_reference', id: 'msg_1' }] },
    { input: [{ role: 'user', content: [{ type: 'input_image', image_url: 'gs://b/o' }] }] },
    { input: [{ type: 'code_interpreter_call', container_id: 'cntr_1' }] },
    { prompt: { id: 'pmpt_1' } },
    { previous_response_id: 'resp_1' },
    { conversation: 'conv_1' },
  ])('knows what belongs to the owner of the credential: %j', (body) => {
    expect(reach(body).owned).toHaveLength(1);
  });

  it('leaves out items and parts that are new', () => {
    const input = [
      { type: 'acme:note', text: 'x' },
      { role: 'user', content: [{ type: 'quote' }, { type: 'input_text', text: 'Hi' }] },
    ];
    expect(within({ input })).toEqual({
      kept: { model: 'm', input: [{ role: 'user', content: [{ type: 'input_text', text: 'Hi' }] }] },
      leftOut: ['input.acme:note', 'input.content.quote'],
    });
    expect(reach({ input })).toMatchObject({ owned: [], unpriced: [] });
  });
});
