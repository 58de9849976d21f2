import { randomUUID } from 'node:crypto';

/** A UUID that begins with the time, as the gateway's. */
export function uuid() {
  const time = Date.now().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`;
}
