import { record, records } from '../../strict/native/values.js';
import { canonical } from '../exact-json.js';
import {
  fileSaying,
  inputOfValue,
  mediaOf,
  pairing,
  type Said,
  type Saying,
  type Side,
  textsIn,
} from './saying.js';

/** What the body of a Converse request says. */
export function saidInConverse(body: object): Said {
  const { system, messages, toolConfig } = record(body);
  const pairs = pairing();
  const sayings: Saying[] = records(system).flatMap((block) => blockSayings(block, 'system'));
  for (const { role, content } of records(messages)) {
    pairs.turn();
    const side: Side = role === 'assistant' ? 'assistant' : 'user';
    for (const block of records(content)) {
      const { toolUse, toolResult } = block;
      if (toolUse !== undefined) {
        const { toolUseId, name, input } = record(toolUse);
        pairs.called(String(toolUseId));
        sayings.push({ kind: 'call', id: String(toolUseId), name: String(name), input: inputOfValue(input) });
      } else if (toolResult !== undefined) {
        const result = record(toolResult);
        const inner = records(result.content).flatMap((part) => blockSayings(part, 'user'));
        sayings.push({
          kind: 'result',
          call: pairs.answered(String(result.toolUseId)),
          texts: inner.flatMap((saying) => (saying.kind === 'text' ? [saying.text] : [])),
          media: inner.flatMap((saying) => (saying.kind === 'media' ? [saying.media] : [])),
          isError: result.status === 'error',
        });
      } else sayings.push(...blockSayings(block, side));
    }
  }
  const specs = records(record(toolConfig).tools).flatMap(({ toolSpec }) =>
    toolSpec ? [record(toolSpec)] : [],
  );
  return {
    sayings,
    tools: specs.map(({ name }) => String(name)),
    descriptions: specs.map(({ description }) => String(description ?? '')),
  };
}

function blockSayings(block: Readonly<Record<string, unknown>>, side: Side): Saying[] {
  const { text, json, image, document, video, audio, reasoningContent } = block;
  if (typeof text === 'string') return [{ kind: 'text', side, text }];
  if (json !== undefined) {
    return [canonical(json), ...textsIn(json)].map((value) => ({ kind: 'text', side, text: value }));
  }
  if (reasoningContent !== undefined) {
    const thought = record(record(reasoningContent).reasoningText).text;
    return thought === undefined ? [] : [{ kind: 'thought', text: String(thought) }];
  }
  const media = image ?? document ?? video ?? audio;
  if (media === undefined) return [];
  const { bytes, s3Location, text: words } = record(record(media).source);
  if (typeof words === 'string') return [{ kind: 'text', side, text: words }];
  const { format } = record(document);
  if (typeof format === 'string' && /^(?:txt|md|csv|html)$/.test(format))
    return [fileSaying(side, 'text/plain', bytes)];
  const place = s3Location === undefined ? mediaOf(bytes) : `url:${record(s3Location).uri}`;
  return [{ kind: 'media', side, media: place }];
}
