interface Named {
  readonly id: string;
  readonly name: string;
}

/** The models whose identifier or name contains every word of the search, in any case and order. */
export function matching<T extends Named>(models: readonly T[], search: string): T[] {
  const words = search
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return models.filter(({ id, name }) => {
    const text = `${id} ${name}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
