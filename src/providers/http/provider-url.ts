import { trimEnd } from '../../base/text.js';
import type { Provider } from '../../catalog/types.js';

/**
 * A URL below a provider's API root: its `base_url`, else `defaultRoot`. The root's query is preserved, its user
 * information is not. Throws an Error if the root has a placeholder without a value.
 */
export function providerUrl(
  { slug, baseUrl }: Pick<Provider, 'slug' | 'baseUrl'>,
  defaultRoot: string,
  region: string | null,
  path: string,
): URL {
  const root = (baseUrl ?? defaultRoot).replaceAll('{region}', region ?? '{region}');
  if (root.includes('{')) throw new Error(`the base_url of ${slug} has a placeholder that nothing fills`);
  const url = new URL(root);
  url.pathname = `${trimEnd(url.pathname, '/')}${path}`;
  url.hash = '';
  url.username = '';
  url.password = '';
  return url;
}
