/** What a worker calls itself, and its metrics. */
export type WorkerText = readonly [worker: string, text: string];

/**
 * One text of several workers' texts: each family once, its samples with a further label `worker`. They are not added
 * up, since a sum would shrink with a worker that is replaced, which a scraper takes for a counter that began anew.
 */
export function mergedText(texts: readonly WorkerText[]): string {
  const families = new Map<string, { readonly head: string; samples: string }>();
  for (const [worker, text] of texts) {
    for (const { head, samples } of familiesOf(text)) {
      const family = families.get(head) ?? { head, samples: '' };
      for (const sample of samples) family.samples += `${labelled(sample, worker)}\n`;
      families.set(head, family);
    }
  }
  return [...families.values()].map(({ head, samples }) => head + samples).join('');
}

/** The families of a text: two lines that begin with a mark, and what follows. */
function* familiesOf(text: string) {
  for (const family of text.split(/^(?=# HELP )/m)) {
    const [help, type, ...samples] = family.split('\n').filter((line) => line !== '');
    yield { head: `${help}\n${type}\n`, samples };
  }
}

/** Names hold neither a brace nor a space. */
function labelled(sample: string, worker: string): string {
  const [name = ''] = /^[^{ ]+/.exec(sample) ?? [];
  const rest = sample.slice(name.length);
  const label = `worker="${worker}"`;
  return `${name}{${label}${rest.startsWith('{') ? `,${rest.slice(1)}` : `}${rest}`}`;
}
