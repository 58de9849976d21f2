import type { FakeBlock, FakeTurn, MessagesCall } from '../../../fakes/fake-anthropic/plan.js';
import { type JsonRecord, list, record, records } from '../values.js';

export type { FakeBlock, FakeTurn, MessagesCall } from '../../../fakes/fake-anthropic/plan.js';

export interface PlacedBlock {
  /** `messages.3.content.0` */
  readonly at: string;
  readonly block: FakeBlock;
  /** The role of the turn, `system` for the prompt; `result` for what is inside the result of a tool. */
  readonly role: string;
}

/** The blocks of a turn; none for one that is text alone. */
export function blocksIn(turn: FakeTurn | undefined): readonly FakeBlock[] {
  return Array.isArray(turn?.content) ? turn.content : [];
}

export function turnsOf({ messages }: Partial<MessagesCall>): readonly FakeTurn[] {
  return Array.isArray(messages) ? messages : [];
}

/** Every block in the order of the prompt, those inside results of tools too. */
export function placedBlocks(body: Partial<MessagesCall>): readonly PlacedBlock[] {
  const placed: PlacedBlock[] = [];
  const add = (at: string, content: unknown, role: string): void => {
    for (const [index, value] of list(content).entries()) {
      const block = record(value) as FakeBlock;
      placed.push({ at: `${at}.${index}`, block, role });
      if (block.type === 'tool_result') add(`${at}.${index}.content`, block.content, 'result');
    }
  };
  add('system', body.system, 'system');
  for (const [index, turn] of turnsOf(body).entries())
    add(`messages.${index}.content`, turn.content, turn.role);
  return placed;
}

export interface PlacedMark {
  readonly at: string;
  readonly mark: Readonly<Record<string, unknown>>;
}

/** Marks of the cache in the order in which the host reads them: tools, system, messages, and last the body's own. */
export function marksOf(body: Partial<MessagesCall>): readonly PlacedMark[] {
  const marked = (at: string, value: unknown): PlacedMark[] => {
    const mark = record(value).cache_control;
    return mark === undefined || mark === null ? [] : [{ at: `${at}.cache_control`, mark: record(mark) }];
  };
  return [
    ...list(body.tools).flatMap((tool, index) => marked(`tools.${index}`, tool)),
    ...placedBlocks(body).flatMap(({ at, block }) => marked(at, block)),
    ...marked('body', body).map(({ mark }) => ({ at: 'cache_control', mark })),
  ];
}

/** Tools that Anthropic runs have a dated type and no schema: `ToolUnion` of the official client. */
const SERVER_TOOL = /^[a-z_]+_20\d{6}$/;

/** Tools of the caller's own. */
export function ownTools({ tools }: Partial<MessagesCall>): readonly JsonRecord[] {
  return records(tools).filter(({ type }) => !SERVER_TOOL.test(String(type ?? '')));
}

/** The first thing that the check finds about a tool of the caller's own, with its place. */
export function eachTool(
  body: Partial<MessagesCall>,
  check: (tool: JsonRecord) => string | undefined,
): string | undefined {
  for (const tool of ownTools(body)) {
    const found = check(tool);
    if (found !== undefined) return `tools.${records(body.tools).indexOf(tool)}.custom.${found}`;
  }
  return undefined;
}
