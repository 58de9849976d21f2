/** Checks of texts in credentials. No message repeats the text. */
import type { RuleViolation, TextCheck } from './json-reader.js';

export const anyText: TextCheck = () => undefined;

/** What can be sent in a header unchanged. */
export const visibleAscii: TextCheck = (text) =>
  /^[\x21-\x7e]*$/.test(text)
    ? undefined
    : {
        rule: 'characters',
        message: 'must be printable ASCII without spaces, line breaks or control characters',
      };

/** A region as used in host names and paths. */
export const regionName: TextCheck = matching(
  /^[a-z0-9-]{1,40}$/,
  'must be 1 to 40 lower-case letters, digits or hyphens',
);

/** The subdomain of a resource's endpoint. */
export const resourceName: TextCheck = matching(
  /^[a-z0-9][a-z0-9-]{0,62}$/,
  'must be 1 to 63 lower-case letters, digits or hyphens, and not begin with a hyphen',
);

/** A project identifier as used in paths; domain-scoped ones contain a dot and a colon. */
export const projectId: TextCheck = matching(
  /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/,
  'must be a project identifier: letters, digits, hyphens, dots or colons',
);

export const emailAddress: TextCheck = matching(
  /^[\x21-\x3f\x41-\x7e]+@[\x21-\x3f\x41-\x7e]+$/,
  'must be an e-mail address',
);

export const printableName: TextCheck = matching(
  /^[\x21-\x7e]{1,256}$/,
  'must be 1 to 256 printable ASCII characters without spaces',
);

export function oneOf(allowed: readonly string[]): TextCheck {
  return (text) =>
    allowed.includes(text) ? undefined : { rule: 'value', message: `must be ${allowed.join(' or ')}` };
}

function matching(pattern: RegExp, message: string): TextCheck {
  const violation: RuleViolation = { rule: 'pattern', message };
  return (text) => (pattern.test(text) ? undefined : violation);
}
