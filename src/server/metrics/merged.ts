/** A worker's id and the text of its metrics. */
export type WorkerText = readonly [worker: string, text: string];

/**
 * Merges the texts of several workers: each family once, its samples with a further label `worker`. They are not summed
 * up: a sum would shrink when a worker is replaced, which a scraper takes for a counter that was reset.
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

/** The families of a text: the two lines HELP and TYPE, then the samples. */
function* familiesOf(text: string) {
  for (const family of text.split(/^(?=# HELP )/m)) {
    const [help, type, ...samples] = family.split('\n').filter((line) => line !== '');
    yield { head: `${help}\n${type}\n`, samples };
  }
}

/** Metric names have neither braces nor spaces. */
function labelled(sample: string, worker: string): string {
  const [name = ''] = /^[^{ ]+/.exec(sample) ?? [];
  const rest = sample.slice(name.length);
  const label = `worker="${worker}"`;
  return `${name}{${label}${rest.startsWith('{') ? `,${rest.slice(1)}` : `}${rest}`}`;
}
