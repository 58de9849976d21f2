/** Rules about what messages hold. */
import { type Body, callsOf, imagesOf, messagesOf, partsOf, placesOf } from './chat.js';
import { CALLING, called, GIF, image, PNG, USER } from './examples.js';
import type { Evidence, Example, Rule } from './rule.js';

type Kinds = Readonly<Record<string, readonly string[]>>;

/** Parts of content are of these types, by role; of roles that are not listed nothing is said. */
export function partKinds(
  evidence: Evidence,
  kinds: Kinds,
  words: (path: string, type: string, role: string, allowed: readonly string[]) => string,
): Rule {
  return {
    ...evidence,
    refuses: `Parts of content other than ${Object.entries(kinds)
      .map(([role, types]) => `${types.join(', ')} of ${role}`)
      .join('; ')}.`,
    example: strangePart(kinds),
    violation: (body) => {
      for (const [index, message] of messagesOf(body).entries()) {
        const role = String(message.role);
        const allowed = kinds[role];
        const wrong = partsOf(message).findIndex(({ type }) => allowed?.includes(String(type)) === false);
        if (allowed === undefined || wrong === -1) continue;
        const path = `messages[${index}].content[${wrong}]`;
        return words(path, String(partsOf(message)[wrong]?.type), role, allowed);
      }
      return undefined;
    },
  };
}

/** An image in the last of these roles that takes none. */
function strangePart(kinds: Kinds): Example {
  const roles = Object.keys(kinds).filter((role) => kinds[role]?.includes('image_url') === false);
  const role = roles.includes('user') ? 'user' : (roles.at(-1) ?? 'user');
  const type = roles.length === 0 ? 'hologram' : 'image_url';
  const strange = [{ type, image_url: { url: 'https://example.com/a.png' } }];
  const plain = [{ type: 'text', text: 'Hello' }];
  const around = (content: unknown): Body => {
    if (role === 'tool') return called(CALLING, { role, tool_call_id: 'call12345', content });
    if (role === 'assistant') return { messages: [USER, { role, content }, USER] };
    return { messages: role === 'user' ? [{ role, content }] : [{ role, content }, USER] };
  };
  return { refused: around(strange), taken: around(plain) };
}

/** Content of these roles is a text, never parts. */
export function textOnly(
  evidence: Evidence,
  roles: readonly string[],
  words: (index: number) => string,
): Rule {
  const role = roles[0] ?? 'user';
  const around = (content: unknown): Body => {
    if (role === 'tool') return called(CALLING, { role, tool_call_id: 'call12345', content });
    return { messages: role === 'user' ? [{ role, content }] : [{ role, content }, USER] };
  };
  return {
    ...evidence,
    refuses: `Content in parts of ${roles.join(', ')}.`,
    example: { refused: around([{ type: 'text', text: 'sunny' }]), taken: around('sunny') },
    violation: (body) => {
      const index = messagesOf(body).findIndex(
        ({ role: one, content }) => roles.includes(String(one)) && Array.isArray(content),
      );
      return index === -1 ? undefined : words(index);
    },
  };
}

/** Content of these roles is there; null and absence are not. */
export function contentThere(
  evidence: Evidence,
  roles: readonly string[],
  words: (index: number) => string,
): Rule {
  const role = roles[0] ?? 'user';
  const silent =
    role === 'tool'
      ? called(CALLING, { role, tool_call_id: 'call12345', content: null })
      : { messages: [{ role, content: null }] };
  return {
    ...evidence,
    refuses: `No content of ${roles.join(', ')}.`,
    example: { refused: silent, taken: role === 'tool' ? called() : { messages: [USER] } },
    violation: (body) => {
      const index = messagesOf(body).findIndex(
        ({ role: one, content }) =>
          roles.includes(String(one)) && (content === null || content === undefined),
      );
      return index === -1 ? undefined : words(index);
    },
  };
}

/** Content of these roles is not empty; that of a message with calls may be. */
export function contentFilled(
  evidence: Evidence,
  roles: readonly string[],
  words: (index: number, role: string) => string,
): Rule {
  const role = roles[0] ?? 'user';
  const around = (content: string): Body => {
    if (role === 'assistant') return { messages: [USER, { role, content }, USER] };
    return { messages: role === 'user' ? [{ role, content }] : [{ role, content }, USER] };
  };
  return {
    ...evidence,
    refuses: `Empty content of ${roles.join(', ')}, but for a message with calls.`,
    example: { refused: around(''), taken: around('Hi') },
    violation: (body) => {
      const index = messagesOf(body).findIndex(
        (message) =>
          roles.includes(String(message.role)) && callsOf(message).length === 0 && isEmpty(message),
      );
      return index === -1 ? undefined : words(index, String(messagesOf(body)[index]?.role));
    },
  };
}

/** Every message has content, an empty text too; also one with calls. */
export function contentMember(evidence: Evidence, words: string): Rule {
  const silent = { role: 'assistant', tool_calls: CALLING.tool_calls };
  return {
    ...evidence,
    refuses: 'A message without content, though it has calls.',
    example: { refused: called(silent), taken: called() },
    violation: (body) =>
      messagesOf(body).some(({ content }) => content === null || content === undefined) ? words : undefined,
  };
}

function isEmpty({ content }: Body): boolean {
  if (Array.isArray(content)) {
    return partsOf({ content }).every(
      ({ type, text }) => type === 'text' && String(text ?? '').trim() === '',
    );
  }
  return typeof content !== 'string' || content.trim() === '';
}

/** What bytes are, whatever they are called: the magic numbers of https://en.wikipedia.org/wiki/List_of_file_signatures. */
const IMAGES: readonly (readonly [string, RegExp])[] = [
  ['image/png', /^89504e47/],
  ['image/jpeg', /^ffd8ff/],
  ['image/gif', /^47494638/],
  ['image/webp', /^52494646.{8}57454250/],
  ['image/bmp', /^424d/],
  ['image/heic', /^.{8}66747970/],
];

/** Images are of these types by their bytes, not by their label. */
export function imageTypes(
  evidence: Evidence,
  types: readonly string[],
  words: (path: string) => string,
): Rule {
  const bad = types.includes('image/gif') ? [0x42, 0x4d, 1, 2] : GIF;
  return {
    ...evidence,
    refuses: `Images whose bytes are not of ${types.join(', ')}.`,
    example: { refused: image(bad, 'image/png'), taken: image(PNG, 'image/png') },
    violation: (body) => {
      const wrong = imagesOf(body).find(({ value }) => {
        const bytes = Buffer.from(value).toString('hex');
        const type = IMAGES.find(([, magic]) => magic.test(bytes))?.[0];
        return type === undefined || !types.includes(type);
      });
      return wrong === undefined ? undefined : words(wrong.path);
    },
  };
}

/** Names of participants are of this form. */
export function participantNames(evidence: Evidence, form: RegExp, words: (path: string) => string): Rule {
  const named = (name: string) => ({ messages: [{ ...USER, name }] });
  return {
    ...evidence,
    refuses: `Names of messages that are not of the form ${form.source}.`,
    example: { refused: named('Ann Lee'), taken: named('ann') },
    violation: (body) => {
      const wrong = placesOf(body, 'message').find(
        ({ value }) => value.name !== undefined && !form.test(String(value.name)),
      );
      return wrong === undefined ? undefined : words(`${wrong.path}.name`);
    },
  };
}

/** No text, name or id has half a surrogate pair. */
export function wholeCharacters(evidence: Evidence, words: string): Rule {
  return {
    ...evidence,
    refuses: 'Half a surrogate pair in any text.',
    example: {
      refused: { messages: [{ ...USER, content: 'a\ud83d' }] },
      taken: { messages: [{ ...USER, content: 'a😀' }] },
    },
    violation: (body) => (isWhole(body) ? undefined : words),
  };
}

/** With the flag `u` a pair is one character, so that only halves are surrogates. */
const HALF = /\p{Surrogate}/u;

function isWhole(value: unknown): boolean {
  if (typeof value === 'string') return !HALF.test(value);
  if (typeof value !== 'object' || value === null) return true;
  return Object.entries(value).every(([name, one]) => !HALF.test(name) && isWhole(one));
}
