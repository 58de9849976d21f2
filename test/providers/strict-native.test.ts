import { describe, expect, it } from 'vitest';
import { NATIVE_HOSTS, RESPONSES_HOSTS } from '../support/strict/native/hosts.js';
import {
  brokenRules,
  type ResponsesHost,
  refusalBy,
  type StrictHost,
} from '../support/strict/native/rule.js';
import { CONVERSE_APART, CONVERSE_BASE, CONVERSE_EXAMPLES } from './strict-examples/converse.js';
import type { Examples } from './strict-examples/example.js';
import { GEMINI_BASE, GEMINI_EXAMPLES } from './strict-examples/gemini.js';
import { MESSAGES_BASE, MESSAGES_EXAMPLES } from './strict-examples/messages.js';
import { RESPONSES_BASE, RESPONSES_EXAMPLES, RESPONSES_REASONED } from './strict-examples/responses.js';

const EXAMPLES: Readonly<Record<string, Examples>> = {
  messages: MESSAGES_EXAMPLES,
  converse: CONVERSE_EXAMPLES,
  gemini: GEMINI_EXAMPLES,
  responses: RESPONSES_EXAMPLES,
};

const { model: _model, ...UNNAMED } = MESSAGES_BASE;

/** What each host takes of the same conversation. */
const FITTING: Readonly<Record<string, object>> = {
  anthropic: MESSAGES_BASE,
  'anthropic-late': {
    ...MESSAGES_BASE,
    temperature: undefined,
    thinking: { type: 'adaptive' },
    output_config: { effort: 'xhigh' },
  },
  'claude-bedrock': { ...UNNAMED, anthropic_version: 'bedrock-2023-05-31' },
  'claude-foundry': MESSAGES_BASE,
  'claude-vertex': { ...UNNAMED, anthropic_version: 'vertex-2023-10-16' },
  'converse-llama': CONVERSE_APART,
  'converse-mistral': CONVERSE_APART,
  'gemini-2.5': GEMINI_BASE,
  'gemini-3': GEMINI_BASE,
  responses: RESPONSES_BASE,
  'responses-reasoning': { ...RESPONSES_REASONED, model: 'gpt-5' },
  'responses-azure': { ...RESPONSES_REASONED, model: 'o4-mini' },
};

const fittingOf = ({ name }: StrictHost | ResponsesHost) => FITTING[name] ?? CONVERSE_BASE;

const HOSTS = [...NATIVE_HOSTS, ...RESPONSES_HOSTS];

describe.each(HOSTS.map((host) => [host.name, host] as const))('the strict host %s', (_name, host) => {
  const examples = EXAMPLES[host.format] ?? {};

  it('takes a conversation with a bit of everything', () => {
    expect(brokenRules(host, fittingOf(host))).toEqual([]);
    expect(refusalBy(host, fittingOf(host))).toBeUndefined();
  });

  it('has rules with a source, a date and no two of one name', () => {
    for (const { source, seen } of host.rules) {
      expect(source).toMatch(/^https:\/\/|^@[a-z-]+\/[a-z-]+ \w|^npm [a-z]+ [\d.]+ \w/);
      expect(seen).toMatch(/^2026-\d\d-\d\d$/);
    }
    const names = host.rules.map(({ refuses }) => refuses);
    expect(names.filter((name, index) => names.indexOf(name) < index)).toEqual([]);
  });

  it.each(host.rules.map((rule) => [rule.refuses, rule] as const))('refuses %s', (refuses, rule) => {
    const example = examples[refuses];
    expect(example, 'an example').toBeDefined();
    const context = { model: host.model, isStreamed: false, betas: [], ...example?.context };
    expect(rule.violation(example?.body ?? {}, context)).toMatch(/./);
    expect(
      rule.violation(fittingOf(host), { model: host.model, isStreamed: false, betas: [] }),
    ).toBeUndefined();
  });
});

it('every example is of a rule', () => {
  for (const [format, examples] of Object.entries(EXAMPLES)) {
    const names = new Set(
      HOSTS.filter((host) => host.format === format).flatMap(({ rules }) =>
        rules.map(({ refuses }) => refuses),
      ),
    );
    expect(Object.keys(examples).filter((name) => !names.has(name))).toEqual([]);
  }
});
