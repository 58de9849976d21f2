import { collectDefaultMetrics, Registry } from 'prom-client';

let registry: Registry | undefined;

/**
 * CPU, memory, event loop and garbage collection of this process; collected from the first call on, once per process.
 */
export function processMetrics(): Pick<Registry, 'contentType' | 'metrics'> {
  if (registry !== undefined) return registry;
  registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}
