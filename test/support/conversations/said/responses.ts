import { record, records } from '../../strict/native/values.js';
import {
  inputOf,
  inputOfValue,
  mediaAt,
  pairing,
  type Said,
  type Saying,
  type Side,
  textsIn,
} from './saying.js';

/** What a body of OpenAI's Responses API says. */
export function saidInResponses(body: object): Said {
  const { instructions, input, tools } = record(body);
  const pairs = pairing();
  const sayings: Saying[] = textsIn(instructions ?? []).map((text) => ({
    kind: 'text',
    side: 'system',
    text,
  }));
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : records(input);
  for (const item of items.map(record)) {
    const { type, role, content, call_id, name, output } = item;
    pairs.turn();
    if (type === 'function_call' || type === 'custom_tool_call') {
      pairs.called(`${type}${call_id}`);
      const given = type === 'custom_tool_call' ? item.input : item.arguments;
      const isText = typeof given === 'string' && type === 'function_call';
      sayings.push({
        kind: 'call',
        id: String(call_id),
        name: String(name),
        input: isText ? inputOf(given) : inputOfValue(given),
      });
    } else if (type === 'function_call_output' || type === 'custom_tool_call_output') {
      const inner = partSayings(output, 'user');
      sayings.push({
        kind: 'result',
        call: pairs.answered(`${String(type).replace('_output', '')}${call_id}`),
        texts: inner.flatMap((saying) => (saying.kind === 'text' ? [saying.text] : [])),
        media: inner.flatMap((saying) => (saying.kind === 'media' ? [saying.media] : [])),
        isError: false,
      });
    } else if (role !== undefined) sayings.push(...partSayings(content, sideOf(role)));
  }
  return {
    sayings,
    tools: records(tools).map(({ name, type }) => String(name ?? type)),
    descriptions: records(tools).map(({ description }) => String(description ?? '')),
  };
}

function sideOf(role: unknown): Side {
  return role === 'assistant' || role === 'user' ? role : 'system';
}

function partSayings(content: unknown, side: Side): Saying[] {
  if (typeof content === 'string') return [{ kind: 'text', side, text: content }];
  return records(content).flatMap(({ text, refusal, image_url }): Saying[] => [
    ...textsIn([text, refusal].filter((one) => one !== undefined)).map(
      (one): Saying => ({ kind: 'text', side, text: one }),
    ),
    ...(image_url === undefined
      ? []
      : [{ kind: 'media' as const, side, media: mediaAt(record(image_url).url ?? image_url) }]),
  ]);
}
