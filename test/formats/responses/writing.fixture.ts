import OpenAI from 'openai';
import type { ClientTool } from '../../../src/formats/responses/tool-names.js';
import type { ResponseObject, ResponsesBody, ResponsesEvent } from '../../../src/formats/responses/types.js';
import { responsesAnswer } from '../../../src/formats/responses/writing/answer.js';
import { givenBack } from '../../../src/formats/responses/writing/given-back.js';
import type { ItemRules } from '../../../src/formats/responses/writing/item-writer.js';
import { ResponsesEventWriter } from '../../../src/formats/responses/writing/stream-writer.js';
import { chunksOf, type Said, wholeAnswer } from '../messages/answer.fixture.js';
import { SIGNER } from '../messages/signer.fixture.js';

/** Functions beginning with `custom_` are custom tools, those with `space__` belong to a namespace. */
export const RULES: ItemRules = {
  toolNames: { toolOf },
  showsReasoning: true,
  carriesReasoning: true,
  signer: SIGNER,
  reasoningPart: 'reasoning_text',
};

function toolOf(name: string): ClientTool {
  if (name.startsWith('custom_')) return { kind: 'custom', name: name.slice(7), namespace: null };
  const [space, member] = name.split('__');
  return member === undefined
    ? { kind: 'function', name, namespace: null }
    : { kind: 'function', name: member, namespace: space ?? null };
}

/** Unix seconds. */
export const COMPLETED_AT = 1_800_000_000;

export function headOf(body: ResponsesBody = { model: 'm', input: 'Hi' }) {
  return { id: 'gen-1', created: 1, model: 'm', given: givenBack(body) };
}

export type Ending = Parameters<typeof chunksOf>[1];

/** The events of the pieces, those of each chunk in a list. */
export function written(pieces: readonly Said[], rules = RULES, ending?: Ending): ResponsesEvent[][] {
  const writer = new ResponsesEventWriter(headOf(), rules);
  return chunksOf(pieces, ending).map((chunk) => writer.write(chunk, () => COMPLETED_AT));
}

export function answered(said: Said, rules = RULES, ending?: Ending): ResponseObject {
  return responsesAnswer(wholeAnswer(said, ending), headOf(), rules, COMPLETED_AT);
}

/** A piece of a call. */
export function call(index: number, given: string, name?: string, id = `call_${index}`): Said {
  const begun = name === undefined ? {} : { id, type: 'function' };
  return { tool_calls: [{ index, ...begun, function: { ...(name && { name }), arguments: given } }] };
}

/** The response that OpenAI's own client makes of the events. */
export async function assembled(events: readonly object[]): Promise<object> {
  const text = events
    .map((event) => `event: ${'type' in event ? event.type : ''}\ndata: ${JSON.stringify(event)}\n\n`)
    .join('');
  const headers = { 'content-type': 'text/event-stream' };
  const fetch = () => Promise.resolve(new Response(text, { headers }));
  const client = new OpenAI({ apiKey: 'k', fetch, maxRetries: 0 });
  return client.responses.stream({ model: 'm', input: 'Hi' }).finalResponse();
}

/** What of the events a test looks at. */
export function brief(events: readonly object[]): string[] {
  return events.map((event) => {
    const { type, delta, item } = event as Readonly<Record<string, unknown>>;
    const short = String(type).replace(/^response\./, '');
    if (typeof delta === 'string') return `${short} ${delta}`;
    return typeof item === 'object' && item !== null && 'type' in item ? `${short} ${item.type}` : short;
  });
}
