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
 * https://github.com/openai/codex; one member missing, or one word unknown, and it takes none of them. Tried with 0.130.0,
 * 0.145.0, 0.156.0 and 0.171.0 on 2026-11-26.
 */
export function codexModels(models: readonly Model[], knowsMax: boolean): CodexModel[] {
  return models.filter(writesText).map((model, index) => codexModel(model, index, knowsMax));
}

/** Whether that version of Codex knows the effort `max`: 0.145.0 does, 0.130.0 does not. */
export function knowsMaxEffort(clientVersion: string): boolean {
  const [major = Number.NaN, minor = Number.NaN] = clientVersion.split('.').map(Number);
  return major > 0 || (major === 0 && minor >= 145);
}

/** A model of which nothing is said is one for chats. */
function writesText({ architecture }: Model): boolean {
  const outputs = architecture?.outputModalities ?? [];
  return outputs.length === 0 || outputs.includes(OutputModality.TEXT);
}

/** As for OpenAI's own models in Codex 0.171.0. */
const MAX_TOOL_OUTPUT_TOKENS = 10_000;

function codexModel(model: Model, index: number, knowsMax: boolean): CodexModel {
  const { id, name, ownedBy, supportedParameters, contextLength, description } = model;
  return create(CodexModelSchema, {
    slug: id,
    displayName: name,
    ...defined({ description, contextWindow: contextLength }),
    ...reasoning(model, knowsMax),
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

/** Lowest first. */
const LEVELS: ReadonlyMap<ReasoningEffort, string> = new Map([
  [ReasoningEffort.NONE, 'Answers without reasoning'],
  [ReasoningEffort.MINIMAL, 'Hardly any reasoning'],
  [ReasoningEffort.LOW, 'Little reasoning, for simple work'],
  [ReasoningEffort.MEDIUM, 'Some reasoning, for everyday work'],
  [ReasoningEffort.HIGH, 'Much reasoning, for difficult work'],
  [ReasoningEffort.XHIGH, 'Very much reasoning, for the most difficult work'],
  [ReasoningEffort.MAX, 'All the reasoning that the model is capable of'],
]);

function reasoning({ reasoning: support }: Model, knowsMax: boolean) {
  if (support === undefined) return { supportsReasoningSummaries: false };
  const { mandatory, defaultEffort, supportedEfforts } = support;
  const isOffered = (effort: ReasoningEffort) =>
    supportedEfforts?.values.includes(effort) ?? !(mandatory && effort === ReasoningEffort.NONE);
  const isKnown = (effort: ReasoningEffort) =>
    LEVELS.has(effort) && (knowsMax || effort !== ReasoningEffort.MAX);
  const levels = [...LEVELS].filter(([effort]) => isKnown(effort) && isOffered(effort));
  return {
    supportsReasoningSummaries: true,
    supportedReasoningLevels: levels.map(([effort, description]) => ({ effort, description })),
    ...(defaultEffort !== undefined && isKnown(defaultEffort) && { defaultReasoningLevel: defaultEffort }),
  };
}

function inputs({ architecture }: Model): InputModality[] {
  const hasImages = architecture?.inputModalities.includes(InputModality.IMAGE) === true;
  return hasImages ? [InputModality.TEXT, InputModality.IMAGE] : [InputModality.TEXT];
}
