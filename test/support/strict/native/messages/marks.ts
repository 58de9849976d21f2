/** Rules of Anthropic's Messages about marks of the cache. */
import type { Rule } from '../rule.js';
import { unknownIn, words } from '../values.js';
import { type MessagesCall, marksOf, placedBlocks } from './body.js';

const SEEN = '2026-11-26';
const MAX_MARKS = 4;

/** https://platform.claude.com/docs/en/build-with-claude/prompt-caching */
const SCOPE_BETA = 'prompt-caching-scope-2026-01-05';

export const MARK_RULES: readonly Rule[] = [
  {
    refuses: `more than ${MAX_MARKS} marks`,
    source: 'https://github.com/griffinmartin/opencode-claude-auth/issues/121',
    seen: SEEN,
    sure: 'reported',
    violation(body: MessagesCall) {
      const { length } = marksOf(body);
      return length > MAX_MARKS
        ? `A maximum of ${MAX_MARKS} blocks with cache_control may be provided. Found ${length}.`
        : undefined;
    },
  },
  {
    refuses: 'a mark of an hour after one of five minutes',
    source: 'https://github.com/cnighswonger/claude-code-cache-fix/issues/44',
    seen: SEEN,
    sure: 'reported',
    violation(body: MessagesCall) {
      const marks = marksOf(body);
      const short = marks.findIndex(({ mark: { ttl } }) => ttl !== '1h');
      const late = marks.find(({ mark: { ttl } }, index) => ttl === '1h' && short >= 0 && index > short);
      return (
        late &&
        `${late.at}.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: \`tools\`, \`system\`, \`messages\`.`
      );
    },
  },
  {
    refuses: 'marks of another form',
    source: '@anthropic-ai/sdk CacheControlEphemeral',
    seen: SEEN,
    sure: 'typed',
    violation(body: MessagesCall) {
      const known = words('type ttl scope');
      for (const { at, mark } of marksOf(body)) {
        const unknown = unknownIn(mark, known);
        if (unknown !== undefined) return `${at}.ephemeral.${unknown}: Extra inputs are not permitted`;
        if (mark.type !== 'ephemeral') return `${at}: Input tag '${mark.type}' does not match 'ephemeral'`;
        if (mark.ttl !== undefined && mark.ttl !== '5m' && mark.ttl !== '1h') {
          return `${at}.ephemeral.ttl: Input should be '5m' or '1h'`;
        }
      }
      return undefined;
    },
  },
  {
    refuses: 'the scope of a mark without its beta',
    source: 'https://github.com/Wei-Shaw/claude-relay-service/pull/965',
    seen: SEEN,
    sure: 'assumed',
    violation(body: MessagesCall, { betas }) {
      if (betas.includes(SCOPE_BETA)) return undefined;
      const scoped = marksOf(body).find(({ mark }) => mark.scope !== undefined);
      return scoped && `${scoped.at}.ephemeral.scope: Extra inputs are not permitted`;
    },
  },
  {
    refuses: 'marks on thoughts',
    source: 'https://github.com/LeenHawk/gproxy/issues/67',
    seen: SEEN,
    sure: 'reported',
    violation(body: MessagesCall) {
      const marked = placedBlocks(body).find(
        ({ block: { type, cache_control } }) => /thinking$/.test(type) && cache_control,
      );
      return marked && `${marked.at}.${marked.block.type}.cache_control: Extra inputs are not permitted`;
    },
  },
  {
    refuses: 'marks on empty texts',
    source: 'https://github.com/anthropics/claude-code/issues/54013',
    seen: SEEN,
    sure: 'reported',
    violation(body: MessagesCall) {
      const marked = placedBlocks(body).find(
        ({ block: { type, text, cache_control } }) => type === 'text' && text === '' && cache_control,
      );
      return marked && `${marked.at}.text: cache_control cannot be set for empty text blocks`;
    },
  },
];
