/** What a Messages request uses that not all hosts take: `docs/providers/README.md#contracts`. */
import type { PartKind } from '../chat/part-kind.js';
import type { Untaken, Uses } from '../chat/untaken.js';
import { elements, isObject, type JsonObject, members } from '../json.js';
import {
  inlineImageType,
  mediaField,
  untakenFormat,
  untakenMedia,
  untakenMember,
  untakenTool,
} from './untaken.js';

/** The first block of its kind. */
interface UsedBlock {
  readonly field: string;
  readonly block: JsonObject;
}

export function usesOfMessages(body: JsonObject): Uses<'messages'> {
  const media = mediaIn(elements(body.messages));
  const tools = ownToolsIn(elements(body.tools));
  const given = Object.entries(body);
  const formatField = body.output_format === undefined ? 'output_config.format' : 'output_format';
  return {
    // Whatever its members: which of them a host does not have is its own.
    isPlain: false,
    untakenBy: (contract) => [
      ...(contract.members === null ? [] : given).flatMap(([name, value]) =>
        untaken(name, untakenMember(name, value, contract)).map(
          (one): Untaken => ({ ...one, isMember: true }),
        ),
      ),
      ...media.flatMap(({ field, block }) =>
        untaken(mediaField(block, field), untakenMedia(block, contract)),
      ),
      ...tools.flatMap(({ field, block }) => untaken(field, untakenTool(block, contract))),
      ...untaken(formatField, untakenFormat(body, contract)),
    ],
    unsupportedBy: () => [],
    pathOf: (kind) => media.find(({ block }) => isOfKind(block, kind))?.field,
  };
}

function untaken(field: string, rule: string | undefined): readonly Untaken[] {
  return rule === undefined ? [] : [{ field, rule }];
}

/** The first tool of each type of a host's own. */
function ownToolsIn(tools: readonly unknown[]): readonly UsedBlock[] {
  const found = new Map<unknown, UsedBlock>();
  for (const [at, tool] of tools.entries()) {
    const block = members(tool);
    const isOwn = typeof block.type === 'string' && block.type !== 'custom';
    if (isOwn && !found.has(block.type)) found.set(block.type, { field: `tools[${at}].type`, block });
  }
  return [...found.values()];
}

const MEDIA: ReadonlySet<unknown> = new Set(['image', 'document', 'container_upload']);

/** One image or document of each kind, in results of tools too. */
function mediaIn(messages: readonly unknown[]): readonly UsedBlock[] {
  const found = new Map<string, UsedBlock>();
  const look = (content: unknown, path: string) => {
    for (const [index, block] of elements(content).entries()) {
      if (!isObject(block)) continue;
      const field = `${path}.content[${index}]`;
      if (block.type === 'tool_result') look(block.content, field);
      if (!MEDIA.has(block.type)) continue;
      const key = [block.type, members(block.source).type, inlineImageType(block)].join(' ');
      if (!found.has(key)) found.set(key, { field, block });
    }
  };
  for (const [at, message] of messages.entries()) look(members(message).content, `messages[${at}]`);
  return [...found.values()];
}

/** Whether the part of a chat may be made of the block. */
function isOfKind(block: JsonObject, { type, image }: PartKind): boolean {
  if (type === 'file') return block.type === 'document';
  return type === 'image_url' && block.type === 'image' && (inlineImageType(block) ?? null) === image;
}
