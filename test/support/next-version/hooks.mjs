// Resolves the gateway's migrations to those in this folder, except in that module itself.
const OURS = new URL('migrations.mjs', import.meta.url).href;

export async function resolve(specifier, context, next) {
  const resolved = await next(specifier, context);
  const isTheirs = resolved.url.endsWith('/dist/src/store/migrations/index.js') && context.parentURL !== OURS;
  return isTheirs ? { ...resolved, url: OURS } : resolved;
}
