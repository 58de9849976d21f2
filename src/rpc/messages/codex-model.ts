import { create } from '@bufbuild/protobuf';
import {
  type CodexModel,
  CodexModelSchema,
  InputModality,
  type Model,
  OutputModality,
  Parameter,
  ReasoningEffort,
} from '../../../gen/byway/v1/models_pb.js';
import { CODEX_INSTRUCTIONS } from './codex-instructions.js';
import { defined } from './defined.js';

/**
 * The models that write text, as Codex describes its own: `ModelInfo` in codex-rs/protocol/src/openai_models.rs of
 * https://github.com/openai/codex; one member missing, or one word unknown, and it takes none of them. Tried with 0.171.0 on
 * 2026-11-26.
 */
export function codexModels(models: readonly Model[]): CodexModel[] {
  return models.filter(writesText).map(codexModel);
}

/** A model of which nothing is said is one for chats. */
function writesText({ architecture }: Model): boolean {
  const outputs = architecture?.outputModalities ?? [];
  return outputs.length === 0 || outputs.includes(OutputModality.TEXT);
}

/** As for OpenAI's own models in Codex 0.171.0. */
const MAX_TOOL_OUTPUT_TOKENS = 10_000;

function codexModel(model: Model, index: number): CodexModel {
  const { id, name, ownedBy, supportedParameters, contextLength, description } = model;
  return create(CodexModelSchema, {
    slug: id,
    displayName: name,
    ...defined({ description, contextWindow: contextLength }),
    ...reasoning(model),
    shellType: 'unified_exec',
    visibility: 'list',
    supportedInApi: true,
    priority: index + 1,
    baseInstructions: CODEX_INSTRUCTIONS,
    supportVerbosity: supportedParameters.includes(Parameter.VERBOSITY),
    // A grammar that only their models were trained with.
    ...(ownedBy === 'openai' && { applyPatchToolType: 'freeform' }),
    truncationPolicy: { mode: 'tokens', limit: MAX_TOOL_OUTPUT_TOKENS },
    supportsParallelToolCalls: supportedParameters.includes(Parameter.PARALLEL_TOOL_CALLS),
    inputModalities: inputs(model),
  });
}

/** The efforts that every version of Codex knows, lowest first: an older one refuses the list for `max`. */
const LEVELS: ReadonlyMap<ReasoningEffort, string> = new Map([
  [ReasoningEffort.NONE, 'Answers without reasoning'],
  [ReasoningEffort.MINIMAL, 'Hardly any reasoning'],
  [ReasoningEffort.LOW, 'Little reasoning, for simple work'],
  [ReasoningEffort.MEDIUM, 'Some reasoning, for everyday work'],
  [ReasoningEffort.HIGH, 'Much reasoning, for difficult work'],
  [ReasoningEffort.XHIGH, 'The most reasoning, for the most difficult work'],
]);

function reasoning({ reasoning: support }: Model) {
  if (support === undefined) return { supportsReasoningSummaries: false };
  const { mandatory, defaultEffort, supportedEfforts } = support;
  const isOffered = (effort: ReasoningEffort) =>
    supportedEfforts?.values.includes(effort) ?? !(mandatory && effort === ReasoningEffort.NONE);
  const levels = [...LEVELS].filter(([effort]) => isOffered(effort));
  const isKnown = defaultEffort !== undefined && LEVELS.has(defaultEffort);
  return {
    supportsReasoningSummaries: true,
    supportedReasoningLevels: levels.map(([effort, description]) => ({ effort, description })),
    ...(isKnown && { defaultReasoningLevel: defaultEffort }),
  };
}

function inputs({ architecture }: Model): InputModality[] {
  const hasImages = architecture?.inputModalities.includes(InputModality.IMAGE) === true;
  return hasImages ? [InputModality.TEXT, InputModality.IMAGE] : [InputModality.TEXT];
}
