/** Translates the content of items to parts of a chat's messages. */
import { exactJson } from '../../base/json/json-body.js';
import type { ContentPart, JsonObject } from '../chat/types.js';
import { isObject, members, textOf } from '../json.js';
import { isMark } from '../marks.js';
import type { Findings } from '../reading/findings.js';
import { isListOfParts } from './call-text.js';

/** The parts of a content, which may be a plain text. Anything else is refused. */
export function partsOf(content: unknown, field: string, findings: Findings): ContentPart[] {
  if (typeof content === 'string') return textParts(content);
  if (content === undefined || content === null) return [];
  if (!Array.isArray(content)) {
    findings.refuse(field, 'type', 'must be a string or a list of parts');
    return [];
  }
  return content.flatMap((part: unknown, position) => {
    const path = `${field}[${position}]`;
    if (isObject(part) && textOf(part.type) !== undefined) return partOf(part, path, findings);
    findings.refuse(path, 'type', 'must be an object with a type');
    return [];
  });
}

function partOf(part: JsonObject, field: string, findings: Findings): ContentPart[] {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
    case 'summary_text':
    case 'reasoning_text':
      return textParts(part.text);
    case 'refusal':
      return textOf(part.refusal) === undefined ? [] : [{ type: 'refusal', refusal: part.refusal }];
    case 'input_image':
    case 'computer_screenshot':
    case 'image_url':
      return imageParts(part, field, findings);
    case 'input_file':
      return fileParts(part, field, findings);
    case 'input_audio':
      return [{ type: 'input_audio', input_audio: part.input_audio }];
    case 'encrypted_content':
      return readableParts(part.encrypted_content, findings);
    default:
      return otherParts(part, findings);
  }
}

function textParts(text: unknown): ContentPart[] {
  const said = textOf(text);
  return said === undefined ? [] : [{ type: 'text', text: said }];
}

/** In the chat format the URL and the detail stand in an object. */
function imageParts(part: JsonObject, field: string, findings: Findings): ContentPart[] {
  const { image_url, detail, file_id } = part;
  const url = textOf(image_url) ?? textOf(members(image_url).url);
  if (url !== undefined) {
    const how = textOf(detail) ?? textOf(members(image_url).detail);
    return [{ type: 'image_url', image_url: { url, ...(how !== undefined && { detail: how }) } }];
  }
  return stored(file_id, `${field}.image_url`, findings);
}

/** Hosts that take files require a name. */
const UNTITLED = 'document.pdf';

function fileParts(part: JsonObject, field: string, findings: Findings): ContentPart[] {
  const file_data = textOf(part.file_data) ?? textOf(part.file_url);
  if (file_data === undefined) return stored(part.file_id, `${field}.file_data`, findings);
  return [{ type: 'file', file: { filename: textOf(part.filename) ?? UNTITLED, file_data } }];
}

/** A file that is stored at the provider can be read there alone. */
function stored(fileId: unknown, field: string, findings: Findings): [] {
  if (textOf(fileId) !== undefined) findings.demand('file_id');
  else findings.refuse(field, 'required', 'must be data, or an address');
  return [];
}

/** Content of which nothing else is known is replaced by its text. */
function otherParts(part: JsonObject, findings: Findings): ContentPart[] {
  findings.omit(String(part.type));
  return textParts(readableText(part));
}

/**
 * Codex marks what its agents tell each other as encrypted, and gets it back as it was written from hosts that encrypt
 * nothing (https://github.com/MetaFARS/codex-relay/issues/60, looked up on 2026-11-26).
 */
function readableParts(content: unknown, findings: Findings): ContentPart[] {
  if (readsAsText(content)) return textParts(content);
  findings.omit('encrypted_content');
  return [];
}

function readsAsText(content: unknown): content is string {
  const text = textOf(content);
  return text !== undefined && !isCiphertext(text) && !isMark(text);
}

/** Ciphertext is one long word of base64: at least so many characters, and none of others. */
const MIN_CIPHERTEXT_CHARACTERS = 64;
const NOT_BASE64 = /[^\w+/=-]/;

function isCiphertext(text: string): boolean {
  return text.length >= MIN_CIPHERTEXT_CHARACTERS && !NOT_BASE64.test(text);
}

/** Items in which a provider has put the conversation so far. */
export const COMPACTED: ReadonlySet<string> = new Set([
  'compaction',
  'compaction_summary',
  'context_compaction',
]);

/** The words of such an item; undefined if only the provider that made it can read it. */
export function compactedText(item: JsonObject): string | undefined {
  const { encrypted_content } = item;
  return textOf(readableText(item)) ?? (readsAsText(encrypted_content) ? encrypted_content : undefined);
}

/** The parts of what a tool gave back, which may be any JSON. */
export function outputParts(output: unknown, field: string, findings: Findings): ContentPart[] {
  if (output === undefined || output === null || typeof output === 'string' || isListOfParts(output))
    return partsOf(output, field, findings);
  return isObject(output) && output.type === 'computer_screenshot'
    ? partsOf([output], field, findings)
    : textParts(exactJson(output));
}

/** The members of items in which there is something to read, in the order of reading. */
const READABLE = [
  ...['title', 'url', 'query', 'queries', 'name', 'arguments', 'command', 'commands', 'code', 'path', 'diff'],
  ...['action', 'operation', 'input', 'summary', 'text', 'content', 'output', 'outputs', 'results', 'logs'],
  ...['stdout', 'stderr', 'error', 'message', 'reason'],
];

/** What a person would read in an item or a part: questions, addresses, texts, programs and their output. */
export function readableText(value: unknown): string {
  if (typeof value === 'string') return value.startsWith('data:') ? '' : value;
  if (Array.isArray(value)) return joined(value.map(readableText));
  if (!isObject(value)) return '';
  return joined(READABLE.map((name) => readableText(value[name])));
}

function joined(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n');
}
