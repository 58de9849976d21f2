import { create } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { describe, expect, it } from 'vitest';
import { LimitReset } from '../../gen/byway/v1/common_pb.js';
import { ErrorDetailSchema } from '../../gen/byway/v1/error_pb.js';
import { changedPaths, listField, textField, usdField } from '../../src/dashboard/base/changes.js';
import { MAYBE, RESETS } from '../../src/dashboard/base/choices.js';
import { callRefusalOf, violationsOf } from '../../src/dashboard/base/refusal.js';
import { hashLocationOf, linkTo } from '../../src/dashboard/base/route.js';

describe('an update names only what was changed', () => {
  const before = { name: 'a', limitReset: '', allowedModels: null, allowedApiKeyHashes: ['x', 'y'] };

  it('nothing when nothing was', () => {
    expect(changedPaths(before, { ...before, allowedApiKeyHashes: ['x', 'y'] })).toEqual([]);
  });

  it('in the spelling of update masks', () => {
    const after = { name: 'a', limitReset: '2', allowedModels: [], allowedApiKeyHashes: ['y', 'x'] };
    expect(changedPaths<object>(before, after)).toEqual([
      ...['limit_reset', 'allowed_models', 'allowed_api_key_hashes'],
    ]);
  });

  it('and leaves unset what is empty, so that the mask clears it', () => {
    expect([textField(''), textField('a'), usdField(' '), usdField('0'), usdField('x')]).toEqual([
      ...[undefined, 'a', undefined, 0, Number.NaN],
    ]);
    expect([listField(null), listField([])]).toEqual([undefined, { values: [] }]);
  });
});

describe('choices', () => {
  it('every option reads back as the value that it shows', () => {
    expect(RESETS.options.map(({ value }) => RESETS.show(RESETS.read(value)))).toEqual(['', '1', '2', '3']);
    expect(RESETS.read('2')).toBe(LimitReset.WEEKLY);
    expect([MAYBE.read(''), MAYBE.read('true'), MAYBE.read('false')]).toEqual([undefined, true, false]);
    expect([RESETS.label(undefined), RESETS.label(LimitReset.DAILY)]).toEqual(['Never', 'Every day']);
  });
});

describe('a refusal', () => {
  const violations = [
    { field: 'name', rule: 'required', message: 'is required' },
    { field: 'allowed_api_key_hashes[3]', rule: 'hash', message: 'is no hash' },
    { field: 'allowed_api_key_hashes', rule: 'max', message: 'has too many' },
    { field: 'name_of_it', rule: 'x', message: 'is another field' },
  ];

  it('is the server’s message and every violation, beside the field that it names', () => {
    const value = create(ErrorDetailSchema, { violations });
    const error = new ConnectError('all of it', Code.InvalidArgument, {}, [
      { desc: ErrorDetailSchema, value },
    ]);
    const refusal = callRefusalOf(error);
    expect(refusal).toMatchObject({ message: 'all of it', isSignedOut: false });
    expect(violationsOf(refusal.violations, 'name')).toEqual(['is required']);
    expect(violationsOf(refusal.violations, 'allowed_api_key_hashes')).toEqual([
      '[3]: is no hash',
      'has too many',
    ]);
  });

  it('ends the session only when the credential is refused', () => {
    expect(callRefusalOf(new ConnectError('Invalid API key', Code.Unauthenticated)).isSignedOut).toBe(true);
    expect(callRefusalOf(new ConnectError('no', Code.PermissionDenied)).isSignedOut).toBe(false);
  });

  it('is distinct when nobody answered', () => {
    expect(callRefusalOf(new TypeError('Failed to fetch')).message).toContain(
      'could not be reached: Failed to fetch',
    );
  });
});

describe('places', () => {
  it('are what their links say, whatever is in them', () => {
    const segments = ['models', '~open ai', 'a?b#c%/d'];
    const { segments: read, query } = hashLocationOf(linkTo(segments, { model: 'x/y & z', none: '' }));
    expect(read).toEqual(segments);
    expect([...query]).toEqual([['model', 'x/y & z']]);
  });

  it('with a broken escape are taken literally', () => {
    expect(hashLocationOf('#/models/%zz').segments).toEqual(['models', '%zz']);
    expect(hashLocationOf('').segments).toEqual([]);
  });
});
