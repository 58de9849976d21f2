import { describe, expect, test } from 'vitest';
import { MAX_CREDENTIAL_BYTES } from '../../src/byok/credential.js';
import { ADAPTERS, type AdapterName } from '../../src/catalog/types.js';
import { faults, read } from './reading.js';
import { ACCESS_KEY, RESOURCE, SAMPLES } from './samples.js';

describe('every kind of credential (spec 2.3; interface section 2)', () => {
  test.each(ADAPTERS)('a %s credential in its own format is read', (adapter) => {
    expect(faults(adapter, SAMPLES[adapter])).toEqual([]);
  });

  test.each(ADAPTERS)('a %s credential is at most 64 KiB, in bytes', (adapter) => {
    expect(faults(adapter, 'a'.repeat(MAX_CREDENTIAL_BYTES + 1))).toEqual(['key max_bytes']);
    expect(faults(adapter, 'é'.repeat(MAX_CREDENTIAL_BYTES / 2 + 1))).toEqual(['key max_bytes']);
    expect(faults('demo', 'a'.repeat(MAX_CREDENTIAL_BYTES))).toEqual([]);
  });

  test.each(ADAPTERS)('an empty %s credential is refused', (adapter) => {
    expect(faults(adapter, '')).toEqual(['key required']);
  });
});

describe('a bare API key', () => {
  const bare: AdapterName[] = ['openai', 'anthropic', 'amazon-bedrock'];
  const broken = ['sk key', 'sk-key\n', ' sk-key', 'sk\tkey', 'sk\u0000key', 'sk-ключ', 'sk\u007f'];

  test.each(bare)('of %s is printable ASCII without spaces', (adapter) => {
    for (const text of broken) expect(faults(adapter, text)).toEqual(['key characters']);
    expect(read('openai', 'sk-A_b.c/d+e=').apiKey).toBe('sk-A_b.c/d+e=');
  });

  test.each(['openai', 'anthropic'] as const)('of %s is not JSON', (adapter) => {
    expect(faults(adapter, ACCESS_KEY)).toEqual(['key type']);
    expect(faults(adapter, [RESOURCE])).toEqual(['key type']);
    expect(faults(adapter, '"sk-quoted"')).toEqual(['key type']);
  });

  test('of the demo provider is any text', () => {
    expect(read('demo', ' {"any"} text é\n').apiKey).toBe(' {"any"} text é\n');
  });
});
