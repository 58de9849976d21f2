/** URLs in credentials. The gateway calls them, so they must not point into the operator's network. */
import type { RuleViolation, TextCheck } from './json-reader.js';
import { isPrivateHost } from './private-address.js';

/**
 * Checks for https, no user information and a public host; `allowPrivateUpstreams` also admits http and private hosts.
 */
export function callableUrl(allowPrivateUpstreams: boolean): TextCheck {
  return (text) => {
    const url = parseUrl(text);
    if (url === undefined) return { rule: 'url', message: 'must be an absolute URL' };
    if (url.username !== '' || url.password !== '') return USERINFO;
    if (url.protocol !== 'https:' && !(allowPrivateUpstreams && url.protocol === 'http:')) return NOT_HTTPS;
    if (!allowPrivateUpstreams && isPrivateHost(url.hostname)) return PRIVATE;
    return undefined;
  };
}

/** undefined when the text is not a URL, or has spaces around it or within. */
export function parseUrl(text: string): URL | undefined {
  return /^[\x21-\x7e]+$/.test(text) && URL.canParse(text) ? new URL(text) : undefined;
}

const USERINFO: RuleViolation = { rule: 'userinfo', message: 'must not hold a user name or password' };
const NOT_HTTPS: RuleViolation = { rule: 'https', message: 'must be an https URL' };
const PRIVATE: RuleViolation = {
  rule: 'private_address',
  message: 'must not point at a loopback, private or link-local address',
};
