import type { VertexCredential } from '../../../byok/kinds/google-vertex.js';
import { REDACTED } from '../../../byok/redact.js';
import { isObject } from '../../../formats/json.js';

/** Redacts a message. */
export type Redact = (text: string) => string;

/** Runs of the characters that tokens consist of. */
const WORDS = /[\w.-]+/g;

/** Whether the word is an access token of Google's, of any request, or a JWT. */
function isToken(word: string): boolean {
  return word.includes('ya29.') || (word.includes('eyJ') && word.split('.', 3).length === 3);
}

/** More than is stored of a message. Searching for tokens takes time quadratic in the length. */
const MAX_MESSAGE_CHARACTERS = 4096;

/**
 * The body of an error, whose JSON is `json`: unchanged if nothing in its values is redacted, else the redacted JSON.
 */
export function redactBody(text: string, json: unknown, redact: Redact): string {
  const redacted = JSON.stringify(redactValues(json, redact));
  return redacted === JSON.stringify(json) ? text : redacted;
}

function redactValues(json: unknown, redact: Redact): unknown {
  if (typeof json === 'string') return redact(json);
  if (Array.isArray(json)) return json.map((element) => redactValues(element, redact));
  if (!isObject(json)) return json;
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [redact(name), redactValues(value, redact)]),
  );
}

/** Redacts the identity of the credential's owner, and whatever looks like a token. */
export function redactWith({ clientEmail, privateKeyId, projectId }: VertexCredential): Redact {
  const names = [clientEmail, privateKeyId, projectId];
  return (text) =>
    names
      .reduce(
        (redactedText, name) => redactedText.replaceAll(name, REDACTED),
        text.slice(0, MAX_MESSAGE_CHARACTERS),
      )
      .replaceAll(WORDS, (word) => (isToken(word) ? REDACTED : word));
}
