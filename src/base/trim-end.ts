/**
 * The text without these characters at its end. In linear time, which a pattern such as `/0+$/` does not keep to: it is
 * tried at each of the characters anew.
 */
export function trimEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
