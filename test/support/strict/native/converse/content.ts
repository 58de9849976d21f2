/** Rules of the operation Converse about blocks and tools, at any model. */
import { mediaTypeOf } from '../media-type.js';
import type { Rule } from '../rule.js';
import { isBase64, isRecord, record, records, repeated, words } from '../values.js';
import {
  type ConverseBody,
  contentOf,
  eachBlock,
  placedBlocks,
  schemaOf,
  toolSpecs,
  turnsOf,
} from './body.js';

const SEEN = '2026-11-26';
const REFERENCE = 'https://docs.aws.amazon.com/bedrock/latest/APIReference';
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;

/** `ContentBlock`, `ToolResultContentBlock` of the package `@aws-sdk/client-bedrock-runtime`. */
const BLOCKS =
  words(`audio cachePoint citationsContent document guardContent image reasoningContent searchResult text
  toolResult toolUse video`);
const IN_RESULTS = words('document image json searchResult text video');

export const CONTENT_RULES: readonly Rule[] = [
  {
    refuses: 'blocks of kinds that there are not',
    source: '@aws-sdk/client-bedrock-runtime ContentBlock, ToolResultContentBlock',
    seen: SEEN,
    sure: 'typed',
    violation: (body: ConverseBody) =>
      eachBlock(body, ({ at, block, role }) => {
        const [kind = '', ...more] = Object.keys(block);
        return more.length === 0 && (role === 'result' ? IN_RESULTS : BLOCKS).has(kind)
          ? undefined
          : `${at}: exactly one member of the union must be set`;
      }),
  },
  {
    refuses: 'blank texts, but in results',
    source: 'https://github.com/NousResearch/hermes-agent/issues/55092',
    seen: SEEN,
    sure: 'reported',
    violation: (body: ConverseBody) =>
      eachBlock(body, ({ at, block: { text }, role }) =>
        role !== 'result' && text !== undefined && String(text).trim() === ''
          ? `The text field in the ContentBlock object at ${at} is blank. Add text to the text field, and try again.`
          : undefined,
      ) ??
      (records(body.system).some(({ text }) => text !== undefined && String(text).trim() === '')
        ? 'The text field in the SystemContentBlock object is blank.'
        : undefined),
  },
  {
    refuses: 'images in formats other than png, jpeg, gif and webp, in lower case',
    source: 'https://github.com/NousResearch/hermes-agent/issues/55429',
    seen: SEEN,
    sure: 'reported',
    violation: (body: ConverseBody) =>
      eachBlock(body, ({ at, block: { image } }) => {
        if (image === undefined) return undefined;
        const { format, source } = record(image);
        if (!words('png jpeg gif webp').has(String(format))) {
          return `1 validation error detected: Value at '${at}.image.format' failed to satisfy constraint: Member must satisfy enum value set: [gif, jpeg, png, webp]`;
        }
        return isBase64(record(source).bytes) || record(source).s3Location
          ? undefined
          : 'Could not process image';
      }),
  },
  {
    refuses: 'images that are not what they are called',
    source: 'https://github.com/boto/boto3/issues/4415',
    seen: SEEN,
    sure: 'reported',
    violation: (body: ConverseBody) =>
      eachBlock(body, ({ block: { image } }) => {
        const { format, source } = record(image);
        const found = image === undefined ? undefined : mediaTypeOf(record(source).bytes);
        return found === undefined || found === `image/${format}`
          ? undefined
          : 'The model returned the following errors: The provided image does not match the specified image format.';
      }),
  },
  {
    refuses: 'names of documents with other characters, and the same name twice',
    source: 'https://github.com/simonw/llm-bedrock/issues/8',
    seen: SEEN,
    sure: 'reported',
    violation(body: ConverseBody) {
      const names = placedBlocks(body).flatMap(({ block: { document } }) =>
        document === undefined ? [] : [String(record(document).name)],
      );
      if (names.some((name) => !/^[A-Za-z0-9()[\]-]+( [A-Za-z0-9()[\]-]+)*$/.test(name))) {
        return 'The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and square brackets.';
      }
      return repeated(names) === undefined ? undefined : 'messages contain duplicate document file names';
    },
  },
  {
    refuses: 'a document in a turn without text',
    source: `${REFERENCE}/API_runtime_Message.html`,
    seen: SEEN,
    sure: 'documented',
    violation: (body: ConverseBody) =>
      turnsOf(body).some(
        (turn) =>
          contentOf(turn).some(({ document }) => document) && !contentOf(turn).some(({ text }) => text),
      )
        ? 'A text block must accompany a document.'
        : undefined,
  },
  {
    refuses: 'ids of calls with other characters than letters, digits, _ and -, or more than 64 of them',
    // Of two copies of the document one takes `.` and `:` too; what both take is safe.
    source: `${REFERENCE}/API_runtime_ToolUseBlock.html`,
    seen: SEEN,
    sure: 'documented',
    violation: (body: ConverseBody) =>
      eachBlock(body, ({ at, block: { toolUse, toolResult } }) => {
        const used = toolUse ?? toolResult;
        return used === undefined || NAME.test(String(record(used).toolUseId))
          ? undefined
          : `Value at '${at}.member.toolUseId' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+`;
      }),
  },
  {
    refuses:
      'names of tools with other characters than letters, digits, _ and -, or more than 64; in the history too',
    source: 'https://github.com/openclaw/openclaw/issues/12892',
    seen: SEEN,
    sure: 'reported',
    violation(body: ConverseBody) {
      const declared = toolSpecs(body).map(({ at, spec }) => [`${at}.member.toolSpec`, spec.name] as const);
      const called = placedBlocks(body).flatMap(({ at, block: { toolUse } }) =>
        toolUse === undefined ? [] : [[`${at}.member.toolUse`, record(toolUse).name] as const],
      );
      const bad = [...declared, ...called].find(([, name]) => !NAME.test(String(name ?? '')));
      return (
        bad &&
        `Value at '${bad[0]}.name' failed to satisfy constraint: Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+ and have length less than or equal to 64`
      );
    },
  },
  {
    refuses: 'input of calls that is no object',
    source: 'https://github.com/vercel/ai/pull/19023',
    seen: SEEN,
    sure: 'reported',
    violation: (body: ConverseBody) =>
      eachBlock(body, ({ at, block: { toolUse } }) =>
        toolUse === undefined || isRecord(record(toolUse).input)
          ? undefined
          : `The format of the value at ${at}.toolUse.input is invalid. Provide a json object for the field and try again.`,
      ),
  },
  {
    refuses: 'JSON in results that is no object',
    source: 'https://github.com/sigoden/aichat/issues/1542',
    seen: SEEN,
    sure: 'reported',
    violation: (body: ConverseBody) =>
      eachBlock(body, ({ at, block }) =>
        'json' in block && !isRecord(block.json)
          ? `The format of the value at ${at}.json is invalid. Provide a json object for the field and try again.`
          : undefined,
      ),
  },
  {
    refuses: 'a list of tools without tools',
    source: `${REFERENCE}/API_runtime_ToolConfiguration.html`,
    seen: SEEN,
    sure: 'documented',
    violation: ({ toolConfig }: ConverseBody) =>
      toolConfig !== undefined && records(toolConfig.tools).length === 0
        ? "Value at 'toolConfig.tools' failed to satisfy constraint: Member must have length greater than or equal to 1"
        : undefined,
  },
  {
    refuses: 'schemas whose root is no object',
    source: 'https://github.com/earendil-works/pi/issues/8279',
    seen: SEEN,
    sure: 'reported',
    violation: (body: ConverseBody) =>
      toolSpecs(body)
        .map(({ at, spec }) =>
          record(schemaOf(spec)).type === 'object'
            ? undefined
            : `The value at ${at}.toolSpec.inputSchema.json.type must be one of the following: object.`,
        )
        .find((found) => found !== undefined),
  },
  {
    refuses: 'empty descriptions of tools',
    source: `${REFERENCE}/API_runtime_ToolSpecification.html`,
    seen: SEEN,
    sure: 'documented',
    violation: (body: ConverseBody) =>
      toolSpecs(body)
        .map(({ at, spec }) =>
          spec.description === ''
            ? `Value at '${at}.toolSpec.description' failed to satisfy constraint: Member must have length greater than or equal to 1`
            : undefined,
        )
        .find((found) => found !== undefined),
  },
  {
    refuses: 'choices of tools other than auto, any and tool',
    source: `${REFERENCE}/API_runtime_ToolChoice.html`,
    seen: SEEN,
    sure: 'documented',
    violation({ toolConfig }: ConverseBody) {
      const [kind, ...more] = Object.keys(record(toolConfig?.toolChoice));
      if (toolConfig?.toolChoice === undefined) return undefined;
      return more.length === 0 && words('auto any tool').has(kind ?? '')
        ? undefined
        : 'toolConfig.toolChoice: exactly one of auto, any and tool must be set';
    },
  },
];
