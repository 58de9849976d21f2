/** Google takes names in snake_case and in camelCase. */
export function googleSpellings(name: string): readonly string[] {
  const camel = name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return camel === name ? [name] : [name, camel];
}
