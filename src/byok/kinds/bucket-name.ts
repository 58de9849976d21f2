/** The form of a bucket that a credential names (spec 4.6.2). Whose bucket it is shows at the first batch. */
import type { RuleViolation, TextCheck } from '../json-reader.js';

/** What is wrong with a bucket name or `gs://` bucket URI; undefined when nothing is. */
export const bucketViolation: TextCheck = (text) => {
  const name = bucketName(text);
  if (name.includes('/')) return OBJECT_PATH;
  return NAME.test(name) && name.split('.').every((part) => part.length <= 63) ? undefined : BAD_NAME;
};

/** The bucket's bare name: `gs://name` and `gs://name/` both say `name`. */
export function bucketName(text: string): string {
  return text.startsWith(SCHEME) ? text.slice(SCHEME.length).replace(/\/$/, '') : text;
}

const SCHEME = 'gs://';

/** 3 to 222 characters, alphanumeric at both ends, no IPv4 address, nothing that reads like the platform's own name. */
const NAME = /^(?!goog)(?!.*g[o0][o0]g[l1]e)(?!(?:\d+\.){3}\d+$)[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$/;

const OBJECT_PATH: RuleViolation = {
  rule: 'object_path',
  message: 'must name a bucket, without an object path',
};
const BAD_NAME: RuleViolation = { rule: 'pattern', message: 'must be a bucket name or a gs:// bucket URI' };
