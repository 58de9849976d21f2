/** A server-sent event with this JSON, named by its `type` if that is a valid name of an event. */
export function namedEvent(message: object, json: string): string {
  const type = 'type' in message ? message.type : undefined;
  return typeof type === 'string' && !LINE_BREAK.test(type)
    ? `event: ${type}\ndata: ${json}\n\n`
    : `data: ${json}\n\n`;
}

const LINE_BREAK = /[\r\n]/;
