import { AUTHORS } from './authors.js';
import { JOINS } from './joins.js';
import { lookUp } from './look-up.js';
import { providerSlug } from './providers.js';

/** What can be read from a provider's id of a model. */
export interface ReadName {
  /** The catalogue's id `author/slug` in lower case, the same for all providers of the model. */
  readonly id: string;
  /** The area of a Bedrock inference profile, such as `eu` or `global`; null for others. */
  readonly region: string | null;
  readonly quantization: string | null;
}

const PROFILE = /^(us|eu|au|jp|apac|us-gov|global)\.(?=[a-z0-9-]+\.)/;

/** Replacements that unify spellings of one name. */
const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/^(?:cohere|xiaomi|labs)-/, ''],
  [/^(?:meta-(?=llama)|nvidia-(?=nemotron)|zai-(?=glm)|moonshot-(?=kimi))/, ''],
  [/^(claude-(?:.*-)?\d)-(\d{1,2})(?=-|$)/, '$1.$2'],
  [/^qwen-?(\d)[-.](\d)-/, 'qwen$1.$2-'],
  [/^deepseek-v(\d)-(\d)(?=-|$)/, 'deepseek-v$1.$2'],
  [/^grok-(\d)-(\d{1,2})-/, 'grok-$1.$2-'],
  [/^llama-?(\d)[-_](\d)-/, 'llama-$1.$2-'],
  [/^llama(\d)-/, 'llama-$1-'],
  [/^doubao-seed-(\d)-(\d)-/, 'doubao-seed-$1.$2-'],
  [/^(gpt-.*-chat)-latest$/, '$1'],
  [/^(kimi-k2-\d{4})-preview$/, '$1'],
];

/**
 * Reads a provider's id of a model. A pure function of the two, so that a model's id does not depend on the rest of the
 * file. Dates stay in the name: without them different models would be joined.
 */
export function readName(devProviderId: string, modelId: string): ReadName {
  const lower = modelId.toLowerCase();
  const profile = devProviderId === 'amazon-bedrock' ? (PROFILE.exec(lower)?.[1] ?? null) : null;
  const plain = lower.slice(lower.lastIndexOf('/') + 1);
  const local = lookUp(LOCAL, devProviderId)?.(plain) ?? plain;
  const isFp8 = local.endsWith('-fp8');
  const spelled = SPELLINGS.reduce(
    (name, [from, to]) => name.replace(from, to),
    isFp8 ? local.slice(0, -'-fp8'.length) : local,
  );
  const slug = (lookUp(JOINS, `${devProviderId}:${spelled}`) ?? lookUp(JOINS, spelled) ?? spelled).replace(
    /[^a-z0-9._:+-]+/g,
    '-',
  );
  return {
    id: `${authorOf(slug, devProviderId, lower)}/${slug}`,
    region: profile,
    quantization: isFp8 ? 'fp8' : null,
  };
}

/** Removes prefixes and suffixes of single providers. Free and plan-bound offers remain models of their own. */
const LOCAL: Readonly<Record<string, (name: string) => string>> = {
  'amazon-bedrock': (name) =>
    name
      .replace(PROFILE, '')
      .replace(/^deepseek\./, 'deepseek-')
      .replace(/^[a-z0-9-]+\.(?=[a-z])/, '')
      .replace(/-v?\d+:\d+$/, ''),
  'google-vertex': vertexName,
  'google-vertex-anthropic': vertexName,
  'fireworks-ai': (name) => name.replace(/(\d)p(\d)/g, '$1.$2'),
  chutes: (name) => name.replace(/-tee$/, ''),
  aihubmix: (name) =>
    name
      .replace(/^(?:alicloud|deep)-/, '')
      .replace(/^(?:coding-)?(.+)-free$/, '$1:free')
      .replace(/^coding-(.+)$/, '$1:coding'),
};

function vertexName(name: string): string {
  return name
    .replace(/@default$/, '')
    .replace(/-maas$/, '')
    .replace('@', '-');
}

/** The model's author: by its name, else by the path of its id, else its provider. */
function authorOf(slug: string, devProviderId: string, modelId: string): string {
  const known = AUTHORS.find(([pattern]) => pattern.test(slug))?.[1];
  if (known !== undefined) return known;
  const path = modelId.split('/');
  const author = path.length === 2 ? path[0] : undefined;
  return (author ?? providerSlug(devProviderId)).replace(/[^a-z0-9-]+/g, '-');
}
