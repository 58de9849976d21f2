import { record, records } from '../../strict/native/values.js';
import { inputOfValue, mediaOf, pairing, type Said, type Saying, type Side, textsIn } from './saying.js';

/** What a body of Anthropic's Messages API says. */
export function saidInMessages(body: object): Said {
  const { system, messages, tools } = record(body);
  const pairs = pairing();
  const sayings: Saying[] = blocksOf(system).flatMap((block) => blockSayings(block, 'system'));
  for (const { role, content } of records(messages)) {
    pairs.turn();
    const side: Side = role === 'assistant' || role === 'user' ? role : 'system';
    for (const block of blocksOf(content)) {
      const { type, id, name, input, tool_use_id, is_error } = block;
      if (type === 'tool_use') {
        pairs.called(String(id));
        sayings.push({ kind: 'call', id: String(id), name: String(name), input: inputOfValue(input) });
      } else if (type === 'tool_result') {
        const inner = blocksOf(block.content).flatMap((part) => blockSayings(part, 'user'));
        sayings.push({
          kind: 'result',
          call: pairs.answered(String(tool_use_id)),
          texts: inner.flatMap((saying) => (saying.kind === 'text' ? [saying.text] : [])),
          media: inner.flatMap((saying) => (saying.kind === 'media' ? [saying.media] : [])),
          isError: is_error === true,
        });
      } else sayings.push(...blockSayings(block, side));
    }
  }
  return {
    sayings,
    tools: records(tools).map(({ name }) => String(name)),
    descriptions: records(tools).map(({ description }) => String(description ?? '')),
  };
}

function blocksOf(content: unknown) {
  return typeof content === 'string' ? [{ type: 'text', text: content }].map(record) : records(content);
}

function blockSayings(block: Readonly<Record<string, unknown>>, side: Side): Saying[] {
  const { type, text, thinking, source, title, context, content } = block;
  const texts = (...values: readonly unknown[]): Saying[] =>
    values.flatMap(textsIn).map((value) => ({ kind: 'text', side, text: value }));
  switch (type) {
    case 'text':
      return texts(text);
    case 'thinking':
      return [{ kind: 'thought', text: String(thinking) }];
    case 'image':
    case 'document': {
      const { type: kind, url, data, content: inner, file_id } = record(source);
      const named = texts(title, context);
      if (kind === 'text') return [...named, ...texts(data)];
      if (kind === 'content')
        return [...named, ...blocksOf(inner).flatMap((part) => blockSayings(part, side))];
      const media = kind === 'url' ? `url:${url}` : kind === 'file' ? `file:${file_id}` : mediaOf(data);
      return [{ kind: 'media', side, media }];
    }
    case 'search_result':
      return [...texts(title, source), ...blocksOf(content).flatMap((part) => blockSayings(part, side))];
    default:
      return [];
  }
}
