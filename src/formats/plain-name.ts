/** In small letters, without what the spellings of APIs differ in. */
export function plainName(name: string): string {
  return name.toLowerCase().replaceAll(/[_\-\s]/g, '');
}
