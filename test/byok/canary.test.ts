import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { Problem } from '../../src/base/problem.js';
import { parseCredential } from '../../src/byok/kinds/credential.js';
import { CredentialUnreadable } from '../../src/byok/vault/vault.js';
import { ADAPTERS } from '../../src/catalog/types.js';
import { CANARY, SAMPLES } from './credentials.fixture.js';
import { DEFAULT_WORKSPACE, newKey, OWN, openDesk, RULES } from './keys.fixture.js';

/** Every printed form of a value, including those with hidden members and of a copy. */
function printed(value: unknown): string {
  const copy = typeof value === 'object' && value !== null ? { ...value } : value;
  const forms = [value, copy].map((one) => inspect(one, { showHidden: true, depth: 20, getters: true }));
  const error = value instanceof Error ? [value.message, value.stack, inspect(value.cause)] : [];
  return [...forms, JSON.stringify(value), String(value), ...error].join('\n');
}

async function thrownBy(work: () => unknown): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

describe('a credential never appears in an error, a label, a dump or a record', () => {
  test.each(ADAPTERS)('%s: the credential that was read', (adapter) => {
    const parsed = parseCredential(adapter, SAMPLES[adapter], RULES);
    if (!('ok' in parsed)) throw new Error('not a credential');
    expect(printed(parsed)).not.toContain(CANARY);
    expect(printed(parsed.ok)).not.toContain(CANARY);
    expect(Object.isFrozen(parsed.ok)).toBe(true);
    if (parsed.ok.adapter === 'azure') expect(printed(parsed.ok.entries)).not.toContain(CANARY);
  });

  test.each(ADAPTERS)('%s: the violations of invalid credentials', (adapter) => {
    const broken = [
      `${CANARY} with spaces`,
      `{"${CANARY}": "${CANARY}"}`,
      `[{"${CANARY}": "${CANARY}", "endpoint_url": "http://${CANARY}@x", "resource_type": "${CANARY} "}]`,
      `[{"api_key": "${CANARY}\\n", "resource_name": "${CANARY}"}]`,
      `{"accessKeyId": "${CANARY} ", "secretAccessKey": ["${CANARY}"], "region": "${CANARY}"}`,
      SAMPLES['google-vertex'].replaceAll('https://', `https://${CANARY}@`).replaceAll('BEGIN', CANARY),
      `{"type": "${CANARY}", "bucket": "gs://${CANARY}/o", "universe_domain": "${CANARY}", "token_uri": "${CANARY}"}`,
      `{"unclosed": "${CANARY}`,
      CANARY.repeat(20_000),
    ];
    for (const text of broken) {
      const parsed = parseCredential(adapter, text, RULES);
      expect(printed(parsed)).not.toContain(CANARY);
    }
  });

  test.each(ADAPTERS)('%s: records, problems and unreadable credentials', async (adapter) => {
    const { keys, credentials, vault } = await openDesk();
    const record = await keys.create(OWN, newKey({ provider: adapter, key: SAMPLES[adapter] }));
    expect(printed(record)).not.toContain(CANARY);
    const stored = await credentials.storedKeysOf(DEFAULT_WORKSPACE);
    expect(printed(stored)).not.toContain(CANARY);
    for (const { sealed } of stored) {
      expect(sealed.ciphertext.includes(CANARY)).toBe(false);
      expect(sealed.wrappedDataKey.includes(CANARY)).toBe(false);
      const unreadable = await thrownBy(() => vault.open(sealed, { id: 'other', accountId: OWN }));
      expect(unreadable).toBeInstanceOf(CredentialUnreadable);
      expect(printed(unreadable)).not.toContain(CANARY);
    }
    const problem = await thrownBy(() =>
      keys.create(OWN, newKey({ provider: adapter, key: SAMPLES[adapter], name: 'x'.repeat(256) })),
    );
    expect(problem).toBeInstanceOf(Problem);
    expect(printed(problem)).not.toContain(CANARY);
    expect(printed(vault)).not.toContain(CANARY);
  });
});
