/** Translates how much a model shall reason, and what it reasoned in earlier turns. */
import { type PositionedThought, positionMember } from '../chat/thought-positions.js';
import type { JsonObject } from '../chat/types.js';
import type { Findings } from '../findings.js';
import { elements, members, textOf } from '../json.js';
import { closedDetails, isMark } from '../marks.js';
import { UNSIGNED } from '../messages/thoughts.js';
import type { MarkedThoughts } from '../sealed-thoughts.js';
import type { ResponsesBody } from './types.js';
import type { WritingRules } from './writing-rules.js';

/** The format of `reasoning_details` with what OpenAI's own models need back. */
const OPENAI_RESPONSES = 'openai-responses-v1';

/** Asks for what a model needs back of its reasoning. */
const ENCRYPTED = 'reasoning.encrypted_content';

/** What the client wants of the reasoning. */
export function wantedReasoning({
  reasoning,
  include,
}: ResponsesBody): Pick<WritingRules, 'showsReasoning' | 'carriesReasoning'> {
  const { summary, generate_summary } = members(reasoning);
  return {
    showsReasoning: [summary, generate_summary].some((kind) => textOf(kind) !== undefined && kind !== 'none'),
    carriesReasoning: elements(include).includes(ENCRYPTED),
  };
}

/** The member `reasoning`; empty if the request leaves it to the model. */
export function chatReasoning(body: ResponsesBody, findings: Findings): JsonObject {
  const { effort, max_tokens, enabled, summary, generate_summary, ...rest } = members(body.reasoning);
  for (const name of Object.keys(rest)) findings.omit(`reasoning.${name}`);
  const said = {
    ...(textOf(effort) !== undefined && { effort }),
    ...(typeof max_tokens === 'number' && { max_tokens }),
    ...(typeof enabled === 'boolean' && { enabled }),
  };
  if (Object.keys(said).length === 0) return {};
  const { showsReasoning, carriesReasoning } = wantedReasoning(body);
  return { reasoning: { ...said, ...(!showsReasoning && !carriesReasoning && { exclude: true }) } };
}

/** The mark in a reasoning item; undefined if it has none. */
export function markIn({ type, encrypted_content }: JsonObject): string | undefined {
  return type === 'reasoning' && isMark(encrypted_content) ? encrypted_content : undefined;
}

/** The reasoning items of a turn, with their marks. */
export function markedThoughts(items: readonly PositionedThought<JsonObject>[]): MarkedThoughts {
  return {
    marks: items.flatMap(({ thought }) => markIn(thought) ?? []),
    membersWith: (detailsIn) => reasoningMembers(items, detailsIn),
  };
}

/** Returns the details in a mark. */
type Opened = (mark: string) => readonly JsonObject[];

/** The members `reasoning` and `reasoning_details` for the reasoning items of one turn; empty if there are none. */
export function reasoningMembers(
  items: readonly PositionedThought<JsonObject>[],
  opened: Opened = closedDetails,
): JsonObject {
  const details = items.flatMap((item, index) => detailsOf(item, index, opened));
  const texts = items.flatMap(({ thought }) => textsOf(thought, opened));
  const sent = details.filter(({ format }) => format !== UNSIGNED);
  return {
    ...(texts.length > 0 && { reasoning: texts.join('\n\n') }),
    ...(sent.length > 0 && { reasoning_details: sent }),
  };
}

/** What a person can read of it: the text, else its summary, else what only a mark carries. */
function textsOf(item: JsonObject, opened: Opened): string[] {
  const shown = [item.content, item.summary].map(textsIn).find((texts) => texts.length > 0);
  if (shown !== undefined) return shown;
  const mark = markIn(item);
  if (mark === undefined) return [];
  return opened(mark).flatMap(({ format, text }) => (format === UNSIGNED ? (textOf(text) ?? []) : []));
}

function textsIn(parts: unknown): string[] {
  return elements(parts).flatMap((part) => textOf(members(part).text) ?? []);
}

/** What an item of OpenAI's carries; it is read by the model that made it, and left out for all others. */
function detailsOf(
  { thought, position }: PositionedThought<JsonObject>,
  index: number,
  opened: Opened,
): readonly JsonObject[] {
  const mark = markIn(thought);
  if (mark !== undefined) return opened(mark);
  const data = textOf(thought.encrypted_content);
  if (data === undefined) return [];
  const common = { format: OPENAI_RESPONSES, index };
  const [first, ...others] = textsIn(thought.summary).map((summary) => ({
    type: 'reasoning.summary',
    summary,
    ...common,
  }));
  const encrypted = { type: 'reasoning.encrypted', data, ...common };
  const own = textOf(thought.id);
  if (first === undefined) return [{ ...encrypted, ...positionMember(index, position, own) }];
  const placed = { ...first, ...positionMember(index, position) };
  return [placed, ...others, { ...encrypted, ...positionMember(index, BEGINNING, own) }];
}

const BEGINNING = { content: 0, calls: 0 };
