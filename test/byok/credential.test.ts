import { describe, expect, test } from 'vitest';
import { MAX_CREDENTIAL_BYTES } from '../../src/byok/kinds/credential.js';
import { ADAPTERS, type AdapterName } from '../../src/catalog/types.js';
import { ACCESS_KEY, RESOURCE, SAMPLES } from './credentials.fixture.js';
import { read, violations } from './parse.fixture.js';

describe('every kind of credential', () => {
  test.each(ADAPTERS)('a %s credential in its own format is read', (adapter) => {
    expect(violations(adapter, SAMPLES[adapter])).toEqual([]);
  });

  test.each(ADAPTERS)('a %s credential is at most 64 KiB, in bytes', (adapter) => {
    expect(violations(adapter, 'a'.repeat(MAX_CREDENTIAL_BYTES + 1))).toEqual(['key max_bytes']);
    expect(violations(adapter, 'é'.repeat(MAX_CREDENTIAL_BYTES / 2 + 1))).toEqual(['key max_bytes']);
    expect(violations('demo', 'a'.repeat(MAX_CREDENTIAL_BYTES))).toEqual([]);
  });

  test.each(ADAPTERS)('an empty %s credential is refused', (adapter) => {
    expect(violations(adapter, '')).toEqual(['key required']);
  });
});

describe('a bare API key', () => {
  const bare: AdapterName[] = ['openai', 'anthropic', 'amazon-bedrock'];
  const broken = ['sk key', 'sk-key\n', ' sk-key', 'sk\tkey', 'sk\u0000key', 'sk-ключ', 'sk\u007f'];

  test.each(bare)('of %s is printable ASCII without spaces', (adapter) => {
    for (const text of broken) expect(violations(adapter, text)).toEqual(['key characters']);
    expect(read('openai', 'sk-A_b.c/d+e=').apiKey).toBe('sk-A_b.c/d+e=');
  });

  test.each(['openai', 'anthropic'] as const)('of %s is not JSON', (adapter) => {
    expect(violations(adapter, ACCESS_KEY)).toEqual(['key type']);
    expect(violations(adapter, [RESOURCE])).toEqual(['key type']);
    expect(violations(adapter, '"sk-quoted"')).toEqual(['key type']);
  });

  test('of the demo provider is any text', () => {
    expect(read('demo', ' {"any"} text é\n').apiKey).toBe(' {"any"} text é\n');
  });
});
