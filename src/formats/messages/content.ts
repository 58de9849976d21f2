/** Translates content blocks to parts of a chat's messages. */
import type { ContentPart, JsonObject } from '../chat/types.js';
import { isObject, members, textOf } from '../json.js';
import type { Findings } from '../reading/findings.js';

/** A block, and its path in the request. */
export interface Located {
  readonly block: JsonObject;
  readonly field: string;
}

/** The blocks of a content, which may be a plain text. Anything else is refused. */
export function blocksOf(content: unknown, field: string, findings: Findings): Located[] {
  if (typeof content === 'string') return [{ block: { type: 'text', text: content }, field }];
  if (content === undefined || content === null) return [];
  if (!Array.isArray(content)) {
    findings.refuse(field, 'type', 'must be a string or a list of blocks');
    return [];
  }
  return content.flatMap((block: unknown, position) => {
    const path = `${field}[${position}]`;
    if (isObject(block) && textOf(block.type) !== undefined) return [{ block, field: path }];
    findings.refuse(path, 'type', 'must be an object with a type');
    return [];
  });
}

/** The parts that a block becomes. Each has the block's `cache_control`. */
export function partsOf({ block, field }: Located, findings: Findings): ContentPart[] {
  const parts = unmarkedParts(block, field, findings);
  const last = parts.at(-1);
  if (last === undefined || !isObject(block.cache_control)) return parts;
  return [...parts.slice(0, -1), { ...last, cache_control: block.cache_control }];
}

function unmarkedParts(block: JsonObject, field: string, findings: Findings): ContentPart[] {
  switch (block.type) {
    case 'text':
      return textParts(textOf(block.text));
    case 'image':
      return imageParts(members(block.source), field, findings);
    case 'document':
      return documentParts(block, field, findings);
    case 'search_result':
      return textParts(wordsOf(block));
    case 'tool_reference':
      return textParts(`The tool ${textOf(block.tool_name)} is available.`);
    default:
      return otherParts(block, findings);
  }
}

/** Content that only Messages hosts can read is replaced by its text, and left out if it has none. */
function otherParts(block: JsonObject, findings: Findings): ContentPart[] {
  const words = wordsOf(block);
  if (words === '') findings.omit(String(block.type));
  return textParts(words);
}

function textParts(text: string | undefined): ContentPart[] {
  return text === undefined || text === '' ? [] : [{ type: 'text', text }];
}

function imageParts(source: JsonObject, field: string, findings: Findings): ContentPart[] {
  const url = source.type === 'url' ? textOf(source.url) : dataUrlOf(source);
  if (url !== undefined) return [{ type: 'image_url', image_url: { url } }];
  return unreadable(source, field, findings);
}

function dataUrlOf({ type, media_type, data }: JsonObject): string | undefined {
  const isGiven = type === 'base64' && textOf(media_type) !== undefined && textOf(data) !== undefined;
  return isGiven ? `data:${media_type};base64,${data}` : undefined;
}

/** Hosts that take files require a name. */
const UNTITLED = 'document.pdf';

function documentParts(document: JsonObject, field: string, findings: Findings): ContentPart[] {
  if (members(document.citations).enabled === true) findings.omit('citations');
  const source = members(document.source);
  const filename = textOf(document.title) ?? UNTITLED;
  const file_data = source.type === 'url' ? textOf(source.url) : dataUrlOf(source);
  if (file_data !== undefined) return [{ type: 'file', file: { filename, file_data } }];
  const heading = [document.title, document.context].flatMap((text) => textOf(text) ?? []);
  if (source.type === 'text') return textParts([...heading, textOf(source.data) ?? ''].join('\n\n'));
  if (source.type !== 'content') return unreadable(source, field, findings);
  const parts = blocksOf(source.content, `${field}.source.content`, findings);
  return [...textParts(heading.join('\n\n')), ...parts.flatMap((part) => partsOf(part, findings))];
}

/** Refuses a file that is stored at the provider, where alone it can be read. */
function unreadable({ type }: JsonObject, field: string, findings: Findings): [] {
  if (type === 'file') findings.demand('file');
  else findings.refuse(`${field}.source`, 'type', 'must be base64 with a media_type, a url, or a file');
  return [];
}

/** What a person would read in a block: titles, addresses, texts, output of programs. */
function wordsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return joined(value.map(wordsOf));
  if (!isObject(value)) return '';
  const { title, url, text, stdout, stderr, source, content } = value;
  const { type, data } = members(source);
  const document = type === 'text' ? data : source;
  return joined([title, url, document, text, stdout, stderr, content].map(wordsOf));
}

function joined(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n');
}
