/**
 * OpenAI's Responses API, in one piece or streamed: the same items. Their members are those of the package `openai` 6.49
 * (`Response`, `ResponseStreamEvent`).
 */
import type { FakeCall, FakePlan } from './plan.js';

const CREATED = 1_760_000_000;
const TOOL_INPUT = { city: 'Zürich' };

/** What it counts of any prompt. */
export const COUNTED_TOKENS = 4711;

/** The members that the fake reads. */
export interface ResponsesCall {
  readonly model?: string;
  readonly input?: unknown;
  readonly tools?: readonly { readonly type?: string; readonly name?: string; readonly tools?: unknown }[];
  readonly max_output_tokens?: number | null;
  readonly include?: readonly string[] | null;
  readonly reasoning?: { readonly effort?: string; readonly summary?: string } | null;
  readonly stream_options?: { readonly include_obfuscation?: boolean };
  readonly [member: string]: unknown;
}

type Item = Readonly<Record<string, unknown>>;

/** What of a plan the answer is made of. */
type Plan = Pick<FakePlan, 'words' | 'reasoning' | 'calls' | 'tool' | 'toolCalls' | 'usage' | 'members'>;

/** The response in one piece. */
export function wholeResponse(call: ResponsesCall, plan: Plan): Item {
  const isCut = isShort(call, plan);
  return {
    ...head(call, plan),
    status: isCut ? 'incomplete' : 'completed',
    completed_at: isCut ? null : CREATED + 1,
    incomplete_details: isCut ? { reason: 'max_output_tokens' } : null,
    output: itemsOf(call, plan),
    usage: usageOf(call, plan),
  };
}

/** The events of its stream, numbered. */
export function responseEvents(call: ResponsesCall, plan: Plan): object[] {
  const begun = { ...head(call, plan), status: 'in_progress', output: [], usage: null };
  const whole = wholeResponse(call, plan);
  const isPadded = call.stream_options?.include_obfuscation !== false;
  const events: Item[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...itemsOf(call, plan).flatMap((item, at) => itemEvents(item, at, call, plan)),
    { type: whole.status === 'incomplete' ? 'response.incomplete' : 'response.completed', response: whole },
  ];
  return events.map((event, sequence_number) => ({
    ...event,
    sequence_number,
    ...(isPadded && String(event.type).endsWith('.delta') && { obfuscation: 'x7Qp' }),
  }));
}

function itemEvents(item: Item, output_index: number, call: ResponsesCall, plan: Plan): Item[] {
  const at = { output_index, item_id: item.id };
  const inProgress = 'status' in item ? { status: 'in_progress' } : {};
  const between = (begun: object, events: readonly Item[]): Item[] => [
    { type: 'response.output_item.added', output_index, item: { ...item, ...inProgress, ...begun } },
    ...events.map((event) => ({ ...event, ...at })),
    { type: 'response.output_item.done', output_index, item },
  ];
  switch (item.type) {
    case 'reasoning': {
      const part = (text: string) => ({ type: 'summary_text', text });
      const place = { summary_index: 0 };
      const text = (plan.reasoning ?? []).join('');
      return between({ summary: [], encrypted_content: undefined }, [
        { type: 'response.reasoning_summary_part.added', ...place, part: part('') },
        ...(plan.reasoning ?? []).map((delta) => ({
          type: 'response.reasoning_summary_text.delta',
          ...place,
          delta,
        })),
        { type: 'response.reasoning_summary_text.done', ...place, text },
        { type: 'response.reasoning_summary_part.done', ...place, part: part(text) },
      ]);
    }
    case 'function_call':
      return between({ arguments: '' }, [
        ...piecesOf(String(item.arguments)).map((delta) => ({
          type: 'response.function_call_arguments.delta',
          delta,
        })),
        { type: 'response.function_call_arguments.done', arguments: item.arguments, name: item.name },
      ]);
    case 'custom_tool_call':
      return between({ input: '' }, [
        ...piecesOf(String(item.input)).map((delta) => ({
          type: 'response.custom_tool_call_input.delta',
          delta,
        })),
        { type: 'response.custom_tool_call_input.done', input: item.input },
      ]);
    default: {
      const place = { content_index: 0 };
      const text = wordsOf(call, plan).join('');
      return between({ content: [] }, [
        { type: 'response.content_part.added', ...place, part: textPart('') },
        ...wordsOf(call, plan).map((delta) => ({
          type: 'response.output_text.delta',
          ...place,
          delta,
          logprobs: [],
        })),
        { type: 'response.output_text.done', ...place, text, logprobs: [] },
        { type: 'response.content_part.done', ...place, part: textPart(text) },
      ]);
    }
  }
}

function itemsOf(call: ResponsesCall, plan: Plan): readonly Item[] {
  const words = wordsOf(call, plan);
  const calls = callsOf(call, plan);
  const { reasoning } = plan;
  const isEncrypted = call.include?.includes('reasoning.encrypted_content') === true;
  const thought = {
    id: 'rs_fake1',
    type: 'reasoning',
    summary: [{ type: 'summary_text', text: (reasoning ?? []).join('') }],
    ...(isEncrypted && { encrypted_content: 'gAAAfake==' }),
  };
  const status = isShort(call, plan) ? 'incomplete' : 'completed';
  const message = {
    id: 'msg_fake1',
    type: 'message',
    status,
    role: 'assistant',
    content: [textPart(words.join(''))],
  };
  return [
    ...(reasoning === undefined ? [] : [thought]),
    ...(words.length === 0 ? [] : [message]),
    ...calls.map((one, index) => callItem(one, index, call)),
  ];
}

/** Tools of a client's own are called as they are declared: with raw input, or by their bare name in a namespace. */
function callItem({ id, name, input }: FakeCall, index: number, { tools = [] }: ResponsesCall): Item {
  const declared = tools.find((tool) => tool.name === name);
  const common = { call_id: id, name, status: 'completed' };
  if (declared?.type === 'custom')
    return { id: `ctc_fake${index + 1}`, type: 'custom_tool_call', ...common, input: rawOf(input) };
  const around = tools.find(({ tools: members }) => Array.isArray(members) && members.some(isCalled(name)));
  const namespace = declared === undefined && around !== undefined ? { namespace: around.name } : {};
  return {
    ...{ id: `fc_fake${index + 1}`, type: 'function_call', ...common, ...namespace },
    arguments: JSON.stringify(input),
  };
}

function isCalled(name: string) {
  return (tool: { readonly name?: string }) => tool.name === name;
}

/** What a plan has as the text `input`, or all of it as JSON. */
function rawOf(given: object): string {
  return 'input' in given && typeof given.input === 'string' ? given.input : JSON.stringify(given);
}

function textPart(text: string): object {
  return { type: 'output_text', text, annotations: [], logprobs: [] };
}

const CALLED = new Set(['function', 'custom']);

/** The tool of the plan is called, or the first one, but not after outputs. */
function callsOf(
  { input, tools = [] }: ResponsesCall,
  { calls, tool, toolCalls = 1 }: Plan,
): readonly FakeCall[] {
  if (calls !== undefined) return calls;
  const last = Array.isArray(input) ? input.at(-1) : undefined;
  if (String(last?.type).endsWith('_output')) return [];
  const names = tools.flatMap(({ type, name }) => (CALLED.has(String(type)) && name ? [name] : []));
  const name = names.find((one) => one === tool?.name) ?? names[0];
  if (name === undefined) return [];
  const given = tool?.input ?? TOOL_INPUT;
  return Array.from({ length: toolCalls }, (_, n) => ({ id: `call_fake${n + 1}`, name, input: given }));
}

/** None beside calls, unless the plan has some. */
function wordsOf(call: ResponsesCall, plan: Plan): readonly string[] {
  const usual = callsOf(call, plan).length > 0 ? [] : ['Grüezi', ' mitenand', ' 👋🏽', '!'];
  return (plan.words ?? usual).slice(0, call.max_output_tokens ?? Infinity);
}

function isShort(call: ResponsesCall, { words = [] }: Plan): boolean {
  return words.length > (call.max_output_tokens ?? Infinity);
}

function piecesOf(text: string): readonly string[] {
  return text.match(/.{1,5}/gsu) ?? [];
}

function head(call: ResponsesCall, { members }: Plan): Item {
  const given = (name: string, otherwise: unknown) => call[name] ?? otherwise;
  return {
    id: 'resp_fake',
    object: 'response',
    created_at: CREATED,
    completed_at: null,
    error: null,
    incomplete_details: null,
    background: false,
    instructions: given('instructions', null),
    max_output_tokens: given('max_output_tokens', null),
    max_tool_calls: null,
    metadata: given('metadata', {}),
    model: call.model,
    frequency_penalty: given('frequency_penalty', 0),
    presence_penalty: given('presence_penalty', 0),
    parallel_tool_calls: given('parallel_tool_calls', true),
    previous_response_id: null,
    prompt_cache_key: given('prompt_cache_key', null),
    reasoning: given('reasoning', { effort: null, summary: null }),
    safety_identifier: null,
    service_tier: 'default',
    store: false,
    temperature: given('temperature', 1),
    text: given('text', { format: { type: 'text' }, verbosity: 'medium' }),
    tool_choice: given('tool_choice', 'auto'),
    tools: (call.tools ?? []).map(asTold),
    top_logprobs: 0,
    top_p: given('top_p', 1),
    truncation: 'disabled',
    user: null,
    ...members,
  };
}

/** OpenAI fills in what was not sent of a function: its answers in https://www.openresponses.org/compliance (2026-11-26). */
function asTold(tool: Item): Item {
  return tool.type === 'function' ? { description: null, parameters: null, strict: true, ...tool } : tool;
}

function usageOf(call: ResponsesCall, plan: Plan): object {
  const thoughts = plan.reasoning?.length ?? 0;
  const input_tokens = JSON.stringify(call.input ?? '').split(/\s+/).length;
  const written = callsOf(call, plan).flatMap(({ input }) => piecesOf(JSON.stringify(input)));
  const output_tokens = thoughts + wordsOf(call, plan).length + written.length;
  return {
    input_tokens,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens,
    output_tokens_details: { reasoning_tokens: thoughts },
    total_tokens: input_tokens + output_tokens,
    ...plan.usage,
  };
}
