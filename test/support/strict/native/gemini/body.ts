import type { FakeContent, FakePart, GenerateCall } from '../../../fakes/fake-vertex/plan.js';
import { type JsonRecord, list, record, records } from '../values.js';

export type { FakeContent, FakePart, GenerateCall } from '../../../fakes/fake-vertex/plan.js';

export function contentsOf({ contents }: Partial<GenerateCall>): readonly FakeContent[] {
  return list(contents) as readonly FakeContent[];
}

export function partsOf(content: FakeContent | undefined): readonly FakePart[] {
  return list(content?.parts) as readonly FakePart[];
}

export function callsIn(content: FakeContent | undefined): readonly string[] {
  return partsOf(content).flatMap(({ functionCall }) => (functionCall ? [String(functionCall.name)] : []));
}

export function responsesIn(content: FakeContent | undefined): readonly string[] {
  return partsOf(content).flatMap(({ functionResponse }) =>
    functionResponse ? [String(functionResponse.name)] : [],
  );
}

export function declarationsOf({ tools }: Partial<GenerateCall>): readonly JsonRecord[] {
  return records(tools).flatMap(({ functionDeclarations }) => records(functionDeclarations));
}

/** The first thing that the check finds about a part, with its place. */
export function eachPart(
  call: Partial<GenerateCall>,
  check: (part: JsonRecord, at: string) => string | undefined,
): string | undefined {
  for (const [index, content] of contentsOf(call).entries()) {
    for (const [place, part] of partsOf(content).entries()) {
      const found = check(record(part), `contents[${index}].parts[${place}]`);
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

/** Gemini 3 and later. */
export function isLate(model: string): boolean {
  return /gemini-[3-9]/.test(model);
}
