import { record, records } from '../../strict/native/values.js';
import {
  fileSaying,
  inputOf,
  inputOfValue,
  mediaAt,
  pairing,
  type Said,
  type Saying,
  type Side,
  textsIn,
} from './saying.js';

/** What a body of the Responses API says. */
export function saidInResponses(body: object): Said {
  const { instructions, input, tools } = record(body);
  const pairs = pairing();
  const sayings: Saying[] = textsIn(instructions).map((text) => ({ kind: 'text', side: 'system', text }));
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : records(input);
  for (const item of items.map(record)) {
    const { type, call_id, name } = item;
    if (!isCall(type)) pairs.turn();
    if (isCall(type)) {
      pairs.called(String(call_id));
      const given = type === 'function_call' ? item.arguments : item.input;
      const isJson = type === 'function_call' && typeof given === 'string';
      const input = isJson ? inputOf(given) : inputOfValue(given ?? '');
      sayings.push({ kind: 'call', id: String(call_id), name: String(name), input });
    } else if (type === 'function_call_output' || type === 'custom_tool_call_output') {
      const inner = partsOf(item.output).flatMap((part) => partSayings(part, 'user'));
      sayings.push({
        kind: 'result',
        call: pairs.answered(String(call_id)),
        texts: inner.flatMap((saying) => (saying.kind === 'text' ? [saying.text] : [])),
        media: inner.flatMap((saying) => (saying.kind === 'media' ? [saying.media] : [])),
        isError: false,
      });
    } else if (type === 'reasoning') {
      const texts = [...textsIn(item.summary), ...textsIn(item.content)];
      sayings.push(...texts.map((text) => ({ kind: 'thought', text }) as const));
    } else sayings.push(...partsOf(item.content).flatMap((part) => partSayings(part, sideOf(item.role))));
  }
  return {
    sayings,
    tools: records(tools).map((tool) => String(tool.name)),
    descriptions: records(tools).map(({ description }) => String(description ?? '')),
  };
}

function isCall(type: unknown): boolean {
  return type === 'function_call' || type === 'custom_tool_call';
}

function sideOf(role: unknown): Side {
  return role === 'assistant' || role === 'user' ? role : 'system';
}

function partsOf(content: unknown): readonly Readonly<Record<string, unknown>>[] {
  return typeof content === 'string' ? [{ type: 'input_text', text: content }] : records(content);
}

function partSayings(part: Readonly<Record<string, unknown>>, side: Side): Saying[] {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
      return [{ kind: 'text', side, text: String(part.text ?? '') }];
    case 'refusal':
      return [{ kind: 'text', side, text: String(part.refusal ?? '') }];
    case 'input_image':
      return [{ kind: 'media', side, media: mediaAt(part.image_url ?? part.file_id) }];
    case 'input_file': {
      const { file_data, file_url, file_id } = part;
      const [, type = '', data] = /^data:([^;,]*)[^,]*;base64,(.*)$/s.exec(String(file_data)) ?? [];
      return [
        data === undefined
          ? { kind: 'media', side, media: mediaAt(file_url ?? file_id) }
          : fileSaying(side, type, data),
      ];
    }
    default:
      return [];
  }
}
