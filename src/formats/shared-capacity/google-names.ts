/** Both spellings of a name that Google takes: snake_case and camelCase. */
export function googleSpellings(name: string): readonly string[] {
  const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return camel === name ? [name] : [name, camel];
}
