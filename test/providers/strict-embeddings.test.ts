import { describe, expect, it } from 'vitest';
import { EMBEDDINGS_HOSTS } from '../support/strict/embeddings/hosts.js';
import { embeddingsRefusal } from '../support/strict/embeddings/rule.js';

describe.each(EMBEDDINGS_HOSTS.map((host) => [host.name, host] as const))('the strict host %s', (_, host) => {
  it('has rules with a source, a date and no two of one name', () => {
    for (const { source, seen } of host.rules) {
      expect(source).toMatch(/^https:\/\//);
      expect(seen).toMatch(/^2026-\d\d-\d\d$/);
    }
    expect(new Set(host.rules.map(({ refuses }) => refuses)).size).toBe(host.rules.length);
  });

  it.each(host.rules.map((rule) => [rule.refuses, rule] as const))('refuses %s', (_name, rule) => {
    const context = { model: host.model, isStreamed: false, betas: [] };
    expect(rule.violation(rule.example.refused, context)).toMatch(/./);
    expect(embeddingsRefusal(host, rule.example.taken)).toBeUndefined();
  });
});
