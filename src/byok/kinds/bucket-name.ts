/** The form of bucket names in credentials. Access to the bucket is only checked with the first batch. */
import type { RuleViolation, TextCheck } from './json-reader.js';

/** Checks a bucket name or `gs://` bucket URI. */
export const bucketViolation: TextCheck = (text) => {
  const name = bucketName(text);
  if (name.includes('/')) return OBJECT_PATH;
  return NAME.test(name) && name.split('.').every((component) => component.length <= 63)
    ? undefined
    : BAD_NAME;
};

/** The bucket's bare name: `name` for `gs://name` and `gs://name/`. */
export function bucketName(text: string): string {
  return text.startsWith(SCHEME) ? text.slice(SCHEME.length).replace(/\/$/, '') : text;
}

const SCHEME = 'gs://';

/** 3 to 222 characters, alphanumeric at both ends, no IPv4 address, nothing that resembles `google`. */
const NAME = /^(?!goog)(?!.*g[o0][o0]g[l1]e)(?!(?:\d+\.){3}\d+$)[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/;

const OBJECT_PATH: RuleViolation = {
  rule: 'object_path',
  message: 'must name a bucket, without an object path',
};
const BAD_NAME: RuleViolation = { rule: 'pattern', message: 'must be a bucket name or a gs:// bucket URI' };
