import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BedrockAccessKey } from '../../../src/byok/kinds/amazon-bedrock.js';
import { encodePathSegment, sign } from '../../../src/providers/amazon-bedrock/host/sigv4.js';
import { signatureViolation } from '../../support/fakes/fake-bedrock/signature.js';

const SIGNER = { accessKeyId: 'AKIAEXAMPLE', secretAccessKey: 'secret' };
const DAY_MS = 24 * 60 * 60 * 1000;
const request = { url: new URL('https://host/model/a%3A0/converse'), headers: {}, body: '{}' };

function freshKey(): BedrockAccessKey {
  return { adapter: 'amazon-bedrock', kind: 'access_key', ...SIGNER, region: 'us-east-1' };
}

describe('a signature', () => {
  it('is what the service computes, for any path, headers, body, region and instant', () => {
    fc.assert(
      fc.property(
        fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => !/^\.+$/.test(text)),
        fc.string({ unit: 'grapheme' }),
        fc.constantFrom('us-east-1', 'eu-west-3'),
        fc.integer({ min: 0, max: 2_000_000_000_000 }),
        (segment, body, region, now) => {
          const url = new URL(`https://host:8443/model/${encodePathSegment(segment)}/converse`);
          const plain = { 'content-type': 'application/json' };
          const headers = sign({ url, headers: plain, body }, freshKey(), region, now);
          const came = { path: url.pathname, headers: { ...headers, host: url.host }, text: body };
          expect(signatureViolation(came, SIGNER, region, now)).toBeUndefined();
          const other = { ...came, text: `${body} ` };
          expect(signatureViolation(other, SIGNER, region, now)).toMatchObject({
            type: 'InvalidSignatureException',
          });
        },
      ),
    );
  });

  it('is the same with a key that was derived before, on the same day or another, here or there', () => {
    const cached = freshKey();
    for (const [region, now] of [
      ['us-east-1', 0],
      ['us-east-1', DAY_MS - 1],
      ['us-east-1', DAY_MS],
      ['eu-west-1', DAY_MS],
      ['us-east-1', DAY_MS],
    ] as const) {
      expect(sign(request, cached, region, now)).toEqual(sign(request, freshKey(), region, now));
    }
  });
});
