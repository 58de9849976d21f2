import { pathOfUrl } from '../../base/url.js';

/**
 * The path of the public URL. A proxy may cut it off what it passes on, or leave it: both lead to the same routes, whose
 * own paths begin at the root.
 */
export class PublicPath {
  /** Without a slash at its end; empty for the root. */
  readonly prefix: string;
  /** Whether a path is one of the server's own; set it once all are known. */
  isKnown: (path: string) => boolean = () => false;

  constructor(publicUrl: string | null) {
    this.prefix = pathOfUrl(publicUrl);
  }

  /**
   * The path and query of a request without the prefix. Where both with and without it could be meant, as below `/api`,
   * what is known is.
   */
  within(url: string): string {
    const { prefix } = this;
    if (prefix === '' || !url.startsWith(prefix)) return url;
    const rest = url.slice(prefix.length);
    if (!/^(?:$|[/?])/.test(rest)) return url;
    const inner = rest.startsWith('/') ? rest : `/${rest}`;
    return this.isKnown(pathOf(inner)) || !this.isKnown(pathOf(url)) ? inner : url;
  }
}

/** The path of a request's target, without its query. */
export function pathOf(target: string): string {
  const end = target.indexOf('?');
  return end < 0 ? target : target.slice(0, end);
}
