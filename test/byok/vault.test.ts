import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MasterKey, masterKeys } from '../../src/byok/vault/master-key.js';
import {
  CredentialUnreadable,
  createVault,
  type SealContext,
  type Sealed,
  type Vault,
} from '../../src/byok/vault/vault.js';

const TEXT = 'sk-secret-é-text';
const HERE: SealContext = { id: 'record-1', accountId: 'account-1' };

function vaultOf(...keys: MasterKey[]): Vault {
  return createVault(masterKeys('test', keys));
}
const masterKey = () => new MasterKey(randomBytes(32));

function reasonOf(vault: Vault, sealed: Sealed, context: SealContext): string {
  try {
    vault.open(sealed, context);
  } catch (error) {
    if (error instanceof CredentialUnreadable) return error.reason;
    throw error;
  }
  return 'opened';
}

describe('a sealed credential', () => {
  const key = masterKey();
  const vault = vaultOf(key);
  const sealed = vault.seal(TEXT, HERE);

  test('opens for its own record', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.uuid(), fc.uuid(), (text, id, accountId) => {
        expect(vault.open(vault.seal(text, { id, accountId }), { id, accountId })).toBe(text);
      }),
    );
  });

  test('is never the same twice: each has a data key and nonces of its own', () => {
    const again = vault.seal(TEXT, HERE);
    expect(again.ciphertext.equals(sealed.ciphertext)).toBe(false);
    expect(again.wrappedDataKey.equals(sealed.wrappedDataKey)).toBe(false);
  });

  test('names its master key by the start of its SHA-256, and holds no plaintext', () => {
    expect(sealed.masterKeyId).toMatch(/^[0-9a-f]{16}$/);
    expect(sealed.masterKeyId).toBe(key.id);
    expect(sealed.ciphertext.includes('secret')).toBe(false);
    expect(sealed.wrappedDataKey).toHaveLength(1 + 12 + 16 + 32);
    expect(sealed.ciphertext).toHaveLength(1 + 12 + 16 + Buffer.byteLength(TEXT));
  });

  test('opens for no other record and no other account', () => {
    expect(reasonOf(vault, sealed, { ...HERE, id: 'record-2' })).toBe('damaged');
    expect(reasonOf(vault, sealed, { ...HERE, accountId: 'account-2' })).toBe('damaged');
    expect(reasonOf(vault, sealed, { id: 'account-1', accountId: 'record-1' })).toBe('damaged');
    expect(reasonOf(vault, sealed, { id: 'record-', accountId: '1account-1' })).toBe('damaged');
  });

  test('cannot be swapped with another one, in whole or in part', () => {
    const other = vault.seal('other text', { ...HERE, id: 'record-2' });
    expect(reasonOf(vault, other, HERE)).toBe('damaged');
    expect(reasonOf(vault, { ...sealed, ciphertext: other.ciphertext }, HERE)).toBe('damaged');
    expect(reasonOf(vault, { ...sealed, wrappedDataKey: other.wrappedDataKey }, HERE)).toBe('damaged');
    const swapped = { ...sealed, ciphertext: sealed.wrappedDataKey, wrappedDataKey: sealed.ciphertext };
    expect(reasonOf(vault, swapped, HERE)).toBe('damaged');
  });

  test.each(['ciphertext', 'wrappedDataKey'] as const)('is refused when any bit of %s flips', (column) => {
    for (let index = 0; index < sealed[column].length; index += 1) {
      const bytes = Buffer.from(sealed[column]);
      bytes.writeUInt8(bytes.readUInt8(index) ^ 1, index);
      expect(reasonOf(vault, { ...sealed, [column]: bytes }, HERE)).toBe('damaged');
    }
  });

  test.each(['ciphertext', 'wrappedDataKey'] as const)(
    'is refused when %s is truncated or extended',
    (column) => {
      for (let length = 0; length < sealed[column].length; length += 1) {
        expect(reasonOf(vault, { ...sealed, [column]: sealed[column].subarray(0, length) }, HERE)).toBe(
          'damaged',
        );
      }
      const longer = Buffer.concat([sealed[column], Buffer.of(0)]);
      expect(reasonOf(vault, { ...sealed, [column]: longer }, HERE)).toBe('damaged');
    },
  );

  test('is refused without its master key, and under another one that takes its name', () => {
    expect(reasonOf(vaultOf(masterKey()), sealed, HERE)).toBe('unknown_master_key');
    expect(reasonOf(vault, { ...sealed, masterKeyId: '0'.repeat(16) }, HERE)).toBe('unknown_master_key');
    const impostor = masterKey();
    const posing = createVault({ current: impostor, find: () => impostor });
    expect(reasonOf(posing, sealed, HERE)).toBe('damaged');
  });
});

describe('rotation of the master key', () => {
  const old = masterKey();
  const current = masterKey();
  const sealed = vaultOf(old).seal(TEXT, HERE);
  const both = vaultOf(current, old);

  test('leaves old and new credentials readable meanwhile', () => {
    expect(both.open(sealed, HERE)).toBe(TEXT);
    expect(both.open(both.seal(TEXT, HERE), HERE)).toBe(TEXT);
    expect(both.masterKeyId).toBe(current.id);
  });

  test('only changes how the data key is wrapped, and makes the old key unnecessary', () => {
    const rewrapped = both.rewrap(sealed, HERE);
    expect(rewrapped.ciphertext).toBe(sealed.ciphertext);
    expect(rewrapped.masterKeyId).toBe(current.id);
    expect(vaultOf(current).open(rewrapped, HERE)).toBe(TEXT);
    expect(reasonOf(vaultOf(old), rewrapped, HERE)).toBe('unknown_master_key');
  });

  test('fails for what cannot be unwrapped', () => {
    expect(() => both.rewrap(sealed, { ...HERE, id: 'record-2' })).toThrow(CredentialUnreadable);
    expect(() => vaultOf(current).rewrap(sealed, HERE)).toThrow(CredentialUnreadable);
  });
});
