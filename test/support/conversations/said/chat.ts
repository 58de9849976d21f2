import { record, records } from '../../strict/native/values.js';
import {
  fileSaying,
  inputOf,
  mediaAt,
  mediaOf,
  pairing,
  type Said,
  type Saying,
  type Side,
} from './saying.js';

/** What a body of OpenAI's chat API says. */
export function saidInChat(body: object): Said {
  const { messages, tools } = record(body);
  const pairs = pairing();
  const sayings: Saying[] = [];
  for (const message of records(messages)) {
    pairs.turn();
    const { role, content, reasoning, reasoning_content, refusal, tool_calls, tool_call_id } = message;
    if (role === 'tool' || role === 'function') {
      const { texts, media } = contentOf(content);
      const call = pairs.answered(String(tool_call_id ?? message.name));
      sayings.push({ kind: 'result', call, texts, media, isError: false });
      continue;
    }
    const side: Side = role === 'assistant' || role === 'user' ? role : 'system';
    const details = records(message.reasoning_details).map(({ text }) => text);
    for (const thought of new Set([reasoning, reasoning_content, ...details])) {
      if (typeof thought === 'string') sayings.push({ kind: 'thought', text: thought });
    }
    for (const part of partsOf(content)) sayings.push(...partSayings(part, side));
    if (typeof refusal === 'string') sayings.push({ kind: 'text', side, text: refusal });
    if (message.function_call !== undefined && message.function_call !== null) {
      const { name, arguments: args } = record(message.function_call);
      pairs.called(String(name));
      sayings.push({
        kind: 'call',
        id: String(name),
        name: String(name),
        input: inputOf(String(args ?? '')),
      });
    }
    for (const call of records(tool_calls)) {
      const { name, arguments: args } = record(call.function);
      pairs.called(String(call.id));
      sayings.push({
        kind: 'call',
        id: String(call.id),
        name: String(name),
        input: inputOf(String(args ?? '')),
      });
    }
  }
  const functions = records(tools).map((tool) => record(tool.function ?? tool));
  return {
    sayings,
    tools: functions.map(({ name }) => String(name)),
    descriptions: functions.map(({ description }) => String(description ?? '')),
  };
}

function partsOf(content: unknown): readonly unknown[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return Array.isArray(content) ? content : [];
}

function contentOf(content: unknown): { texts: string[]; media: string[] } {
  const sayings = partsOf(content).flatMap((part) => partSayings(part, 'user'));
  return {
    texts: sayings.flatMap((saying) => (saying.kind === 'text' ? [saying.text] : [])),
    media: sayings.flatMap((saying) => (saying.kind === 'media' ? [saying.media] : [])),
  };
}

function partSayings(value: unknown, side: Side): Saying[] {
  const part = record(value);
  switch (part.type) {
    case 'text':
      return [{ kind: 'text', side, text: String(part.text ?? '') }];
    case 'refusal':
      return [{ kind: 'text', side, text: String(part.refusal ?? '') }];
    case 'image_url':
      return [{ kind: 'media', side, media: mediaAt(record(part.image_url).url ?? part.image_url) }];
    case 'video_url':
      return [{ kind: 'media', side, media: mediaAt(record(part.video_url).url) }];
    case 'file_url': {
      const { url } = record(part.file_url);
      const isAddress = /^https?:/.test(String(url));
      return [{ kind: 'media', side, media: isAddress ? mediaAt(url) : mediaOf(url) }];
    }
    case 'document_url':
      return [{ kind: 'media', side, media: mediaAt(part.document_url) }];
    case 'input_audio':
      return [{ kind: 'media', side, media: mediaOf(record(part.input_audio).data) }];
    case 'file': {
      const { file_data, file_id } = record(part.file);
      const [, type = '', data] = /^data:([^;,]*)[^,]*;base64,(.*)$/s.exec(String(file_data)) ?? [];
      return [
        data === undefined
          ? { kind: 'media', side, media: mediaAt(file_data ?? file_id) }
          : fileSaying(side, type, data),
      ];
    }
    default:
      return [];
  }
}
