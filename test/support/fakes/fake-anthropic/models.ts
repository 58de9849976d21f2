/**
 * The parameters of Anthropic's models, as documented below https://platform.claude.com/docs/en/build-with-claude:
 * `extended-thinking`, `adaptive-thinking`, `effort`, `structured-outputs`. Sampling: the later ones refuse it
 * (https://github.com/The-PR-Agent/pr-agent/issues/2456), some take only one of the two
 * (https://github.com/BerriAI/litellm/issues/15097).
 */
export interface FakeModel {
  /** Forms of `thinking` that are taken. */
  readonly thinking: readonly ('enabled' | 'adaptive' | 'disabled')[];
  /** Whether it thinks by default. */
  readonly thinksUnasked?: boolean;
  /** Whether thoughts have no text unless requested. */
  readonly hidesThoughts?: boolean;
  readonly efforts?: readonly string[];
  /** Whether it takes sampling parameters. */
  readonly takesSampling?: boolean;
  readonly takesBothSamplings?: boolean;
  readonly takesSchemas?: boolean;
}

const LATE = ['low', 'medium', 'high', 'xhigh', 'max'];

const MODELS: Readonly<Record<string, FakeModel>> = {
  'claude-3-haiku-20240307': { thinking: ['disabled'], takesSampling: true, takesBothSamplings: true },
  'claude-3-7-sonnet-20250219': {
    thinking: ['enabled', 'disabled'],
    takesSampling: true,
    takesBothSamplings: true,
  },
  'claude-opus-4-20250514': {
    thinking: ['enabled', 'disabled'],
    takesSampling: true,
    takesBothSamplings: true,
  },
  'claude-opus-4-1': { thinking: ['enabled', 'disabled'], takesSampling: true },
  'claude-haiku-4-5': { thinking: ['enabled', 'disabled'], takesSampling: true, takesSchemas: true },
  'claude-sonnet-4-6': {
    thinking: ['enabled', 'adaptive', 'disabled'],
    efforts: ['low', 'medium', 'high', 'max'],
    takesSampling: true,
    takesSchemas: true,
  },
  'claude-opus-4-8': {
    thinking: ['adaptive', 'disabled'],
    efforts: LATE,
    hidesThoughts: true,
    takesSchemas: true,
  },
  'claude-sonnet-5': {
    thinking: ['adaptive', 'disabled'],
    thinksUnasked: true,
    efforts: LATE,
    hidesThoughts: true,
    takesSchemas: true,
  },
  'claude-haiku-5-5': {
    thinking: ['adaptive', 'disabled'],
    thinksUnasked: true,
    efforts: LATE,
    hidesThoughts: true,
    takesSchemas: true,
  },
  'claude-opus-5-5': {
    thinking: ['adaptive'],
    thinksUnasked: true,
    efforts: LATE,
    hidesThoughts: true,
    takesSchemas: true,
  },
  'claude-fable-5': {
    thinking: ['adaptive'],
    thinksUnasked: true,
    efforts: LATE,
    hidesThoughts: true,
    takesSchemas: true,
  },
};

/** The names of the models that there are. */
export const FAKE_MODELS: readonly string[] = Object.keys(MODELS);

/** The date and the version of a model, which Bedrock has in its names. */
const SNAPSHOT = /-\d{8}(?:-v\d+(?::\d+)?)?$/;

/** The model of this name, of whichever date; unknown names behave like older models. */
export function fakeModel(name: string): FakeModel {
  return MODELS[name] ?? MODELS[name.replace(SNAPSHOT, '')] ?? OLDER;
}

const OLDER: FakeModel = {
  thinking: ['enabled', 'disabled'],
  takesSampling: true,
  takesBothSamplings: true,
};
