/** A port of 127.0.0.1 that nothing listens at, for a process that is told where to listen. */
export function freePort(): Promise<number>;
