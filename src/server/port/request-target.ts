/** The targets of requests, as RFC 9112 section 3.2 has them. */

/** What is sent to proxies, and what servers must take too. */
const ABSOLUTE = /^https?:\/\/([^/?#]*)/i;

/** The host that a target in absolute form names; undefined for one that begins with its path. */
export function hostOfTarget(target: string): string | undefined {
  return target.startsWith('/') ? undefined : ABSOLUTE.exec(target)?.[1];
}

/** The path and query of a target. */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const rest = target.replace(ABSOLUTE, '');
  return rest === target || rest.startsWith('/') ? rest : `/${rest}`;
}

/**
 * A path with a broken percent escape names nothing. It is taken literally, so that it is handled as any unknown path
 * or identifier, hooks included, instead of by Fastify's own answer.
 */
export function decodablePath(url: string): string {
  const end = url.indexOf('?');
  const path = end === -1 ? url : url.slice(0, end);
  if (!path.includes('%')) return url;
  try {
    decodeURIComponent(path);
    return url;
  } catch {
    return path.replaceAll('%', '%25') + url.slice(path.length);
  }
}
