import type { Violation } from '../../base/problem.js';
import type { Credential } from '../kinds/credential.js';
import { KEY_SHAPES, OWNERS, TELLING_PREFIXES } from './key-shapes.js';

/** A secret of a credential, and where it was sent. */
interface Secret {
  readonly field: string;
  readonly text: string;
  /** Whether the shape of the provider's keys holds for it. */
  readonly isKey: boolean;
}

type Rule = Omit<Violation, 'field'>;

/**
 * What a stored credential seems to be instead of a key: at most one warning for each of its secrets, the likeliest. They
 * refuse nothing, since a provider may change its keys any day. No message has a part of the secret.
 */
export function keyWarnings(provider: string, credential: Credential): Violation[] {
  return secretsOf(credential).flatMap(({ field, text, isKey }) => {
    const rule = mistypedRule(text) ?? (isKey ? shapeRule(provider, text) : undefined);
    return rule === undefined ? [] : [{ field, ...rule }];
  });
}

function secretsOf(credential: Credential): Secret[] {
  switch (credential.adapter) {
    case 'openai':
    case 'anthropic':
      return [{ field: 'key', text: credential.apiKey, isKey: true }];
    // It takes any.
    case 'demo':
      return [];
    case 'azure':
      return credential.entries.map(({ apiKey }, index) => ({
        field: `key[${index}].api_key`,
        text: apiKey,
        isKey: true,
      }));
    case 'amazon-bedrock':
      if (credential.kind === 'api_key') return [{ field: 'key', text: credential.apiKey, isKey: true }];
      return [
        { field: 'key.accessKeyId', text: credential.accessKeyId, isKey: false },
        { field: 'key.secretAccessKey', text: credential.secretAccessKey, isKey: false },
      ];
    // Its private key was read, so that it is one.
    case 'google-vertex':
      return [];
  }
}

/** The rule for a text that can be no provider's key; undefined for others. */
function mistypedRule(text: string): Rule | undefined {
  if (PLACEHOLDERS.some((pattern) => pattern.test(withoutQuotes(text)))) return PLACEHOLDER;
  if (withoutQuotes(text) !== text) return QUOTED;
  if (/^bearer\b/i.test(text)) return SCHEME;
  return undefined;
}

function withoutQuotes(text: string): string {
  return text.replace(/^["'`]/, '').replace(/["'`]$/, '');
}

/** The name of a variable instead of its value, and the stand-ins of documentation. */
const PLACEHOLDERS = [
  /^\$[A-Za-z_(]/,
  /^\$?\{[^}]*\}+$/,
  /^%[A-Za-z_]+%$/,
  /^<[^>]*>$/,
  /^(?:process\.env|import\.meta\.env|os\.environ|os\.getenv|env)\b[.[(:]/i,
  /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_(?:KEY|TOKEN|SECRET|PAT)$/,
  /^[A-Z][A-Z0-9_]*_(?:KEY|TOKEN|SECRET)=/,
  /(?:^|[-_])(?:your|my|insert|replace|paste|enter)[-_ ]?(?:own[-_ ]?)?(?:\w{1,40}[-_])?(?:api|access|secret|key|token|me|here)/i,
  /^(?:changeme|change[-_]me|replaceme|todo|tbd|dummy|none|null|undefined|secret|api[-_]?key|test|example|placeholder)$/i,
  /\.\.\.|\u2026|x{8}|\*{4}/i,
];

const PLACEHOLDER: Rule = {
  rule: 'placeholder',
  message:
    'looks like the name of a variable or a stand-in, not like a key: store the value itself, as the provider shows it',
};
const QUOTED: Rule = {
  rule: 'quoted',
  message: 'has quotes around it, which are sent along: store it without them',
};
const SCHEME: Rule = {
  rule: 'scheme',
  message: 'begins with "Bearer", which is sent before every key anyway: store the key alone',
};

/** How it differs from the keys that this provider has. */
function shapeRule(slug: string, text: string): Rule | undefined {
  const shape = KEY_SHAPES[slug];
  const name = shape?.provider ?? OWNERS[slug];
  const owner = TELLING_PREFIXES.find(([prefix]) => text.startsWith(prefix))?.[1];
  if (owner !== undefined && owner !== name && (name !== undefined || owner === 'this gateway')) {
    return {
      rule: 'other_provider',
      message: `looks like a key of ${owner}, and is sent to ${name ?? slug}`,
    };
  }
  if (shape === undefined) return undefined;
  const { prefixes, minCharacters } = shape;
  if (!prefixes.some((prefix) => text.startsWith(prefix))) {
    return { rule: 'prefix', message: `keys of ${shape.provider} begin with ${prefixes.join(' or ')}` };
  }
  if (text.length >= minCharacters) return undefined;
  return {
    rule: 'length',
    message: `has ${text.length} characters; keys of ${shape.provider} have at least ${minCharacters}: a part of it may be missing`,
  };
}
