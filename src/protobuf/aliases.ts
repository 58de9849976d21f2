import type { DescField, DescMessage } from '@bufbuild/protobuf';
import { nearestNames } from '../base/nearest.js';
import { shapeOf } from './shape.js';
import type { Aliases } from './write.js';

/** Members of the error envelope that may have aliases. */
export const ENVELOPE_MEMBERS = ['service_metadata', 'user_id'] as const;

/**
 * Why the aliases can't be applied to the answers, in one line: a name that no member of any answer or of the error
 * envelope has, or an alias that is the name of another member of the same message. Undefined when they can be.
 */
export function aliasViolation(aliases: Aliases, answers: readonly DescMessage[]): string | undefined {
  const objects = [...objectsOf(answers), ENVELOPE];
  const known = new Set(objects.flatMap(({ members }) => members));
  for (const [name, others] of aliases) {
    if (!known.has(name)) return `no answer has a member ${name}${suggestion(name, known)}`;
    for (const other of others) {
      const taken = objects.find(({ members }) => members.includes(name) && members.includes(other));
      if (taken !== undefined) return `${other} can't stand for ${name}: ${taken.name} has both as members`;
    }
  }
  return undefined;
}

interface AnswerObject {
  readonly name: string;
  readonly members: readonly string[];
}

const ENVELOPE: AnswerObject = { name: 'Error', members: ['error', ...ENVELOPE_MEMBERS] };

/** Every message that is a JSON object somewhere in the answers, with its members there. */
function objectsOf(answers: readonly DescMessage[]): AnswerObject[] {
  const found = new Map<DescMessage, AnswerObject>();
  const seen = new Set<DescMessage>();
  const visit = (desc: DescMessage) => {
    if (seen.has(desc)) return;
    seen.add(desc);
    const shape = shapeOf(desc);
    if (shape.kind === 'object') {
      const members = shape.members.filter(({ rule }) => !rule.inputOnly);
      found.set(desc, { name: desc.name, members: members.map(({ name }) => name) });
      visitFields(members.map(({ field }) => field));
    } else if (shape.kind === 'list') visitFields([shape.items]);
    else if (shape.kind === 'union') visitFields(shape.oneof.fields);
  };
  const visitFields = (fields: readonly DescField[]) => {
    for (const { message } of fields) if (message !== undefined) visit(message);
  };
  answers.forEach(visit);
  return [...found.values()];
}

function suggestion(name: string, known: ReadonlySet<string>): string {
  const [nearest] = nearestNames(name, known);
  return nearest === undefined ? '' : `; did you mean ${nearest}?`;
}
