import { trimEnd } from '../../base/trim-end.js';
import type { Provider } from '../../catalog/types.js';

/**
 * A URL below a provider's API root, whose query is kept and whose user information is not; `defaultRoot` is that of
 * providers whose catalogue entry names none. Throws an Error when the root has a placeholder that cannot be filled.
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
