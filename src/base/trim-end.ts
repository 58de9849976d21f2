/**
 * Removes these characters from the end of the text, in linear time. A pattern such as `/0+$/` would take quadratic
 * time, since it is tried at every position.
 */
export function trimEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
