/** The history of an agent, as Codex and SDKs send it back: every item as the API gave it. */
import type { Rng } from '../rng.js';
import type { Item, ResponsesDraft, Tool } from './draft.js';

const FUNCTIONS = ['exec_command', 'view_image', 'lookup'];

export function responsesHistory(rng: Rng): ResponsesDraft {
  const tools: Tool[] = [
    ...rng.sample(FUNCTIONS, 1 + rng.below(3)).map(functionTool),
    ...(rng.chance(0.4) ? [{ type: 'custom', name: 'apply_patch', format: { type: 'text' } }] : []),
    ...(rng.chance(0.3) ? [{ type: 'namespace', name: 'agents', tools: [functionTool('spawn')] }] : []),
    ...(rng.chance(0.3) ? [{ type: 'web_search' }] : []),
  ];
  const input: Item[] = [said('developer', `Be brief ${rng.hex(4)}`), said('user', `Do ${rng.hex(6)}`)];
  for (let turn = rng.below(5); turn > 0; turn -= 1) input.push(...turnOf(rng, tools));
  return { input, tools, members: { instructions: `You are ${rng.hex(4)}` } };
}

export function said(role: string, text: string): Item {
  const type = role === 'assistant' ? 'output_text' : 'input_text';
  return { type: 'message', role, content: [{ type, text }] };
}

function functionTool(name: string): Tool {
  return {
    type: 'function',
    name,
    description: `What ${name} does`,
    strict: false,
    parameters: { type: 'object', properties: { cmd: { type: 'string' } } },
  };
}

function turnOf(rng: Rng, tools: readonly Tool[]): Item[] {
  const id = rng.hex(24);
  const reasoning = {
    type: 'reasoning',
    id: `rs_${id}`,
    summary: rng.chance(0.5) ? [{ type: 'summary_text', text: `Hm ${rng.hex(4)}` }] : [],
    content: null,
    encrypted_content: `gAAA${rng.hex(40)}`,
  };
  const called = rng.sample(
    tools.filter(({ type }) => type === 'function' || type === 'custom'),
    1 + rng.below(2),
  );
  const calls = called.map((tool, index) => callOf(rng, tool, `${id}${index}`));
  return [
    ...(rng.chance(0.7) ? [reasoning] : []),
    ...(rng.chance(0.3)
      ? [{ ...said('assistant', `I look ${rng.hex(4)}`), id: `msg_${id}`, status: 'completed' }]
      : []),
    ...calls.map(([call]) => call),
    ...calls.map(([, output]) => output),
    ...(rng.chance(0.4)
      ? [
          { ...said('assistant', `Done ${rng.hex(4)}`), id: `msg_${id}b`, status: 'completed' },
          said('user', `And ${rng.hex(6)}`),
        ]
      : []),
  ];
}

function callOf(rng: Rng, { type, name }: Tool, id: string): readonly [Item, Item] {
  const call_id = `call_${id}`;
  const output = `of ${rng.hex(6)}`;
  if (type === 'custom') {
    const call = { type: 'custom_tool_call', id: `ctc_${id}`, call_id, name, input: `+${rng.hex(4)}` };
    return [call, { type: 'custom_tool_call_output', call_id, output }];
  }
  const call = { type: 'function_call', id: `fc_${id}`, call_id, name, arguments: `{"cmd":"${rng.hex(4)}"}` };
  return [
    { ...call, status: 'completed' },
    { type: 'function_call_output', call_id, output },
  ];
}
