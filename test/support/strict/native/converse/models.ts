/** Rules of single families of models over Converse. */
import type { Rule } from '../rule.js';
import { type JsonRecord, record, unknownIn, words } from '../values.js';
import { type ConverseBody, cachePoints, contentOf, eachBlock, schemaOf, turnsOf } from './body.js';

const SEEN = '2026-11-26';
const REFERENCE = 'https://docs.aws.amazon.com/bedrock/latest/APIReference';

export const NO_CACHE_RULE: Rule = {
  refuses: 'cache points',
  source: 'https://github.com/strands-agents/harness-sdk/pull/1807',
  seen: SEEN,
  sure: 'reported',
  violation: (body: ConverseBody) =>
    cachePoints(body).length > 0
      ? 'You invoked an unsupported model or your request did not allow prompt caching. See the documentation for more information.'
      : undefined,
};

/** `sources` are where it was seen for the models that the rule is for. */
export function noStreamedToolsRule(source: string): Rule {
  return {
    refuses: 'tools in a stream',
    source,
    seen: SEEN,
    sure: 'reported',
    violation: ({ toolConfig }: ConverseBody, { isStreamed }) =>
      isStreamed && toolConfig !== undefined
        ? "This model doesn't support tool use in streaming mode."
        : undefined,
  };
}

export function noResultImagesRule(sure: Rule['sure']): Rule {
  return {
    refuses: 'images and documents in results',
    // Measured for single models: https://github.com/anomalyco/opencode/issues/49443.
    source: `${REFERENCE}/API_runtime_ToolResultContentBlock.html`,
    seen: SEEN,
    sure,
    violation: (body: ConverseBody) =>
      eachBlock(body, ({ block: { image, document }, role }) =>
        role === 'result' && (image ?? document) !== undefined
          ? "This model doesn't support the image field for user messages. Remove image and try again."
          : undefined,
      ),
  };
}

export function noForcedToolRule(source: string): Rule {
  return {
    refuses: 'a forced tool',
    source,
    seen: SEEN,
    sure: 'reported',
    violation({ toolConfig }: ConverseBody) {
      const kind = ['any', 'tool'].find((name) => name in record(toolConfig?.toolChoice));
      return (
        kind &&
        `This model doesn't support the toolConfig.toolChoice.${kind} field. Remove toolConfig.toolChoice.${kind} and try again.`
      );
    },
  };
}

/** Fields of the model's own that it does not have. */
export function fieldRule(known: string, source: string, sure: Rule['sure']): Rule {
  return {
    refuses: "fields of the model's own other than those it has",
    source,
    seen: SEEN,
    sure,
    violation({ additionalModelRequestFields }: ConverseBody) {
      const unknown = unknownIn(record(additionalModelRequestFields), words(known));
      return (
        unknown &&
        `The model returned the following errors: Malformed input request: #: extraneous key [${unknown}] is not permitted, please reformat your input and try again.`
      );
    },
  };
}

/** Blocks that are words or media, and no calls or results. */
const TALK = words('text image document video');

function kindsIn(turn: JsonRecord): ReadonlySet<string> {
  const kinds = contentOf(turn).flatMap((block) => Object.keys(block));
  return new Set(kinds.map((kind) => (TALK.has(kind) ? 'talk' : kind)));
}

/** Told as "Anthropic models accept it", and seen at Llama 3.2, 3.3, 4 and at Mistral Large. */
export const ONE_KIND_RULES: readonly Rule[] = [
  {
    refuses: 'words beside calls in a turn',
    source: 'https://github.com/langchain-ai/langchain-aws/pull/1118',
    seen: SEEN,
    sure: 'reported',
    violation(body: ConverseBody) {
      const at = turnsOf(body)
        .map(kindsIn)
        .findIndex((kinds) => kinds.has('talk') && kinds.has('toolUse'));
      return at === -1
        ? undefined
        : `messages.${at}.content: Conversation blocks and tool use blocks cannot be provided in the same turn.`;
    },
  },
  {
    refuses: 'words beside results in a turn',
    // Also https://github.com/browser-use/browser-use/issues/710.
    source: 'https://github.com/strands-agents/harness-sdk/issues/1223',
    seen: SEEN,
    sure: 'reported',
    violation(body: ConverseBody) {
      const at = turnsOf(body)
        .map(kindsIn)
        .findIndex((kinds) => kinds.has('talk') && kinds.has('toolResult'));
      return at === -1
        ? undefined
        : `messages.${at}.content: Conversation blocks and tool result blocks cannot be provided in the same turn.`;
    },
  },
];

/** Members at the root of a schema that Nova has. */
const NOVA_SCHEMA = words('type properties required description');

export function novaSchema({ spec }: { readonly spec: JsonRecord }, index: number): string | undefined {
  const unknown = unknownIn(record(schemaOf(spec)), NOVA_SCHEMA);
  return (
    unknown &&
    `The model returned the following errors: Malformed input request: #/toolConfig/tools/${index}/toolSpec/inputSchema/json: extraneous key [${unknown}] is not permitted, please reformat your input and try again.`
  );
}
