import type { JsonReader } from '../input/json-reader.js';
import {
  CACHED_TOKENS,
  FINISH_MEANINGS,
  type FinishMeaning,
  type QuirkMembers,
  type Quirks,
  TOKEN_LIMIT_MEMBERS,
  USAGE_COUNTS,
  type UsageCount,
  type UsagePaths,
} from '../quirks.js';
import { readContract } from './contract-members.js';
import { checkMemberName, readMemberName } from './member-names.js';

const QUIRKS_MEMBERS = [
  'max_tokens_member',
  'developer_role',
  'reasoning_on',
  'reasoning_off',
  'reasoning_member',
  'stream_options',
  'members',
  'schema_without',
  'cache_control',
  'contract',
  'usage',
  'cached_tokens',
  'finish_reasons',
  'max_inputs',
  'api_version',
];

const SCHEMA_WORD = /^[$A-Za-z][A-Za-z0-9]{0,63}$/;
/** Up to four names. */
const USAGE_PATH = /^[A-Za-z][A-Za-z0-9_]{0,63}(?:\.[A-Za-z][A-Za-z0-9_]{0,63}){0,3}$/;
const FINISH_REASON = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/;
const API_VERSION = /^(?:v1|\d{4}-\d{2}-\d{2}(?:-preview)?)$/;

export function readQuirks(at: JsonReader): Quirks {
  const member = at.object(QUIRKS_MEMBERS);
  return withoutUndefined({
    maxTokensMember: member('max_tokens_member').or(undefined, (word) => word.oneOf(TOKEN_LIMIT_MEMBERS)),
    developerRole: member('developer_role').or(undefined, (flag) => flag.boolean()),
    reasoningOn: member('reasoning_on').or(undefined, readMembers),
    reasoningOff: member('reasoning_off').or(undefined, readMembers),
    reasoningMember: member('reasoning_member').or(undefined, (name) => name.orNull(readMemberName)),
    streamOptions: member('stream_options').or(undefined, (options) => options.orNull(readMembers)),
    members: member('members').or(undefined, readRenames),
    schemaWithout: member('schema_without').or(undefined, (words) => words.list(readSchemaWord)),
    cacheControl: member('cache_control').or(undefined, (flag) => flag.boolean()),
    contract: member('contract').or(undefined, readContract),
    usage: member('usage').or(undefined, readUsagePaths),
    cachedTokens: member('cached_tokens').or(undefined, (word) => word.oneOf(CACHED_TOKENS)),
    finishReasons: member('finish_reasons').or(undefined, readFinishReasons),
    maxInputs: member('max_inputs').or(undefined, (count) => count.integer(1)),
    apiVersion: member('api_version').or(undefined, readApiVersion),
  });
}

/** Reads an `api-version` of Azure's: a date, with `-preview` or without, or `v1`. */
function readApiVersion(at: JsonReader): string {
  return at.matching(API_VERSION, 'v1, or a version such as 2024-10-21 or 2025-04-01-preview');
}

function readUsagePaths(at: JsonReader): UsagePaths {
  const member = at.object(USAGE_COUNTS);
  const paths: Partial<Record<UsageCount, string>> = {};
  for (const count of USAGE_COUNTS) {
    const path = member(count).or(undefined, readUsagePath);
    if (path !== undefined) paths[count] = path;
  }
  return paths;
}

function readUsagePath(at: JsonReader): string {
  return at.matching(USAGE_PATH, 'up to four names of members with dots between them');
}

function readFinishReasons(at: JsonReader): Record<string, FinishMeaning> {
  return Object.fromEntries(
    at.entries().map(([name, value]) => {
      if (!FINISH_REASON.test(name)) value.violation('pattern', 'must have a finish reason as its name');
      return [name, value.oneOf(FINISH_MEANINGS)];
    }),
  );
}

function readMembers(at: JsonReader): QuirkMembers {
  return Object.fromEntries(
    at.entries().map(([name, value]) => {
      checkMemberName(name, value);
      return [name, value.value];
    }),
  );
}

function readRenames(at: JsonReader): Record<string, string | null> {
  return Object.fromEntries(
    at.entries().map(([name, value]) => {
      checkMemberName(name, value);
      return [name, value.orNull(readMemberName)];
    }),
  );
}

function readSchemaWord(at: JsonReader): string {
  return at.matching(SCHEMA_WORD, 'a word of JSON Schema');
}

function withoutUndefined(quirks: Readonly<Record<string, unknown>>): Quirks {
  return Object.fromEntries(Object.entries(quirks).filter(([, value]) => value !== undefined));
}
