import { record, records } from '../../strict/native/values.js';
import { canonical } from '../exact-json.js';
import { fileSaying, inputOfValue, type Said, type Saying, type Side, textsIn } from './saying.js';

/** What the body of a `generateContent` request says. Responses answer the calls of the turn before, in their order. */
export function saidInGemini(body: object): Said {
  const { systemInstruction, contents, tools } = record(body);
  const sayings: Saying[] = records(record(systemInstruction).parts).flatMap((part) =>
    partSayings(part, 'system'),
  );
  let calls = 0;
  let open: number[] = [];
  for (const { role, parts } of records(contents)) {
    const side: Side = role === 'model' ? 'assistant' : 'user';
    const called: number[] = [];
    for (const part of records(parts)) {
      const { functionCall, functionResponse } = part;
      if (functionCall !== undefined) {
        const { name, args } = record(functionCall);
        called.push(calls++);
        sayings.push({ kind: 'call', id: '', name: String(name), input: inputOfValue(args) });
      } else if (functionResponse !== undefined) {
        const { response } = record(functionResponse);
        const values = [response, ...Object.values(record(response))];
        sayings.push({
          kind: 'result',
          call: open.shift(),
          texts: [...values.map(canonical), ...textsIn(response)],
          media: [],
          isError: 'error' in record(response),
        });
      } else sayings.push(...partSayings(part, side));
    }
    if (called.length > 0) open = called;
  }
  const declared = records(tools).flatMap(({ functionDeclarations }) => records(functionDeclarations));
  return {
    sayings,
    tools: declared.map(({ name }) => String(name)),
    descriptions: declared.map(({ description }) => String(description ?? '')),
  };
}

function partSayings(part: Readonly<Record<string, unknown>>, side: Side): Saying[] {
  const { text, thought, inlineData, fileData } = part;
  if (typeof text === 'string')
    return thought === true ? [{ kind: 'thought', text }] : [{ kind: 'text', side, text }];
  if (inlineData !== undefined) {
    const { mimeType, data } = record(inlineData);
    return [fileSaying(side, String(mimeType), data)];
  }
  if (fileData !== undefined) return [{ kind: 'media', side, media: `url:${record(fileData).fileUri}` }];
  return [];
}
