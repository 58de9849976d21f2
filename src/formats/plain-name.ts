/** The name in lower case, without the characters in which the spellings of APIs differ. */
export function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[_\-\s]/g, '');
}
