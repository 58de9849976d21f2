/** Answers of hosts that speak Responses with a text in every member: complete, streamed, and failing. */
import { args, bytes, deep, type Plant, type Planted } from './planted.js';

/** Plans for a host of Responses, by name. */
export const RESPONSES_PLANTS: Readonly<Record<string, Plant>> = {
  everywhere: (planted) => {
    const whole = plantedResponse(planted);
    return { answer: whole, chunks: plantedEvents(planted, whole) };
  },
  'in an error': ({ member }) => {
    const error = { code: member, message: member, type: member, param: member, [member]: member };
    const failed = { id: member, object: 'response', status: 'failed', model: member, output: [], error };
    return {
      answer: failed,
      chunks: [
        { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, delta: 'Well' },
        { ...error, type: 'error', error },
        { type: 'response.failed', response: failed },
      ],
    };
  },
};

/** An item of every kind, of tools that hosts run too. */
function responseItems(planted: Planted): object[] {
  const { content, member } = planted;
  const head = (type: string, id: string) => ({ type, id, status: 'completed', [member]: member });
  const annotation = { type: 'url_citation', url: `https://a/?k=${content}`, title: content };
  const token = { token: content, logprob: -1, bytes: bytes(content), top_logprobs: [] };
  const text = {
    type: 'output_text',
    text: `Well: ${content}`,
    annotations: [annotation],
    logprobs: [token],
  };
  return [
    {
      ...head('reasoning', 'rs_1'),
      summary: [{ type: 'summary_text', text: `Hm: ${content}` }],
      content: [{ type: 'reasoning_text', text: content }],
      encrypted_content: member,
    },
    {
      ...head('message', 'msg_1'),
      role: 'assistant',
      content: [text, { type: 'refusal', refusal: content }],
    },
    { ...head('function_call', 'fc_1'), call_id: member, name: member, arguments: args(planted) },
    { ...head('custom_tool_call', 'ctc_1'), call_id: 'call_2', name: member, input: content },
    { ...head('web_search_call', 'ws_1'), action: { type: 'search', query: content, sources: [content] } },
    {
      ...head('file_search_call', 'fs_1'),
      queries: [content],
      results: [{ file_id: content, text: content, attributes: { key: content } }],
    },
    {
      ...head('code_interpreter_call', 'ci_1'),
      container_id: member,
      code: content,
      outputs: [{ type: 'logs', logs: content }],
    },
    { ...head('image_generation_call', 'ig_1'), result: content, revised_prompt: member },
    {
      ...head('mcp_call', 'mcp_1'),
      server_label: member,
      name: member,
      arguments: args(planted),
      output: content,
      error: member,
    },
    { ...head('mcp_list_tools', 'mcpl_1'), server_label: member, tools: [deep(member)] },
    { ...head('shell_call', 'sh_1'), call_id: member, action: { commands: [content] } },
    { ...head('apply_patch_call', 'ap_1'), call_id: member, operation: { path: content, diff: content } },
    { ...head(`new_${member}`, 'new_1'), ...deep(member) },
  ];
}

function plantedResponse(planted: Planted): object {
  const { member } = planted;
  return {
    id: member,
    object: 'response',
    status: 'completed',
    model: member,
    service_tier: member,
    instructions: member,
    prompt_cache_key: member,
    metadata: { [member]: member },
    tools: [{ type: 'function', name: member, description: member, parameters: deep(member) }],
    incomplete_details: null,
    error: null,
    output: responseItems(planted),
    usage: { input_tokens: 1, output_tokens: 2, total_tokens: 3, [member]: member },
    ...deep(member),
  };
}

function plantedEvents(planted: Planted, whole: object): object[] {
  const { content, member } = planted;
  const events = [
    { type: 'response.created', response: { ...whole, status: 'in_progress', output: [] } },
    ...responseItems(planted).flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item, [member]: member },
      { type: 'response.output_item.done', output_index, item, [member]: member },
    ]),
    ...[
      ['response.output_text', 'text'],
      ['response.reasoning_text', 'text'],
      ['response.reasoning_summary_text', 'text'],
      ['response.refusal', 'refusal'],
      ['response.function_call_arguments', 'arguments'],
      ['response.mcp_call_arguments', 'arguments'],
      ['response.custom_tool_call_input', 'input'],
      ['response.code_interpreter_call_code', 'code'],
    ].flatMap(([type, done = '']) => {
      const place = { item_id: 'msg_1', output_index: 1, content_index: 0, obfuscation: member };
      return [
        { type: `${type}.delta`, ...place, delta: content },
        { type: `${type}.done`, ...place, [done]: content },
      ];
    }),
    { type: 'response.content_part.added', item_id: 'msg_1', output_index: 1, part: { text: content } },
    {
      ...{ type: 'response.output_text.annotation.added', item_id: 'msg_1', output_index: 1 },
      annotation: { type: 'url_citation', url: content, title: content },
    },
    {
      ...{ type: 'response.image_generation_call.partial_image', item_id: 'ig_1', output_index: 7 },
      partial_image_b64: content,
    },
    { type: `response.${member}`, ...deep(member) },
    { type: 'response.completed', response: whole },
  ];
  return events.map((event, sequence_number) => ({ ...event, sequence_number }));
}
