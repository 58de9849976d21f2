import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { systemIds } from '../../src/base/ids.js';
import { mintSecret, parseSecret } from '../../src/identity/secret.js';

describe('secrets', () => {
  test.each([
    ['api_key', /^bw-v1-[0-9a-f]{64}$/],
    ['management_key', /^bw-mgmt-[0-9a-f]{64}$/],
    ['client', /^bw-client-[0-9a-f]{64}$/],
    ['operator_key', /^bw-op-[0-9a-f]{64}$/],
  ] as const)('a secret of kind %s has its form, its hash and its label', (kind, form) => {
    const secret = mintSecret(kind, systemIds);
    expect(secret.text).toMatch(form);
    expect(secret.hash).toBe(createHash('sha256').update(secret.text).digest('hex'));
    expect(secret.label).toBe(`${secret.text.slice(0, 9)}...${secret.text.slice(-3)}`);
    expect(parseSecret(secret.text)).toEqual({ kind, hash: secret.hash });
    expect(mintSecret(kind, systemIds).text).not.toBe(secret.text);
  });

  const hex = '0123456789abcdef'.repeat(4);
  test.each([
    '',
    hex,
    `bw-v1-${hex.slice(1)}`,
    `bw-v1-${hex}0`,
    `bw-v1-${hex.toUpperCase()}`,
    `BW-v1-${hex}`,
    `bw-v2-${hex}`,
    `bw-operator-${hex}`,
    ` bw-v1-${hex}`,
    `bw-v1-${hex}\n`,
  ])('%j is not a secret', (text) => {
    expect(parseSecret(text)).toBeUndefined();
  });
});
