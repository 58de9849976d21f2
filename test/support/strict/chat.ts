/** How rules read the body of a chat. Whatever is not of the expected form is read as absent. */

/** A body, a message or a part of one as it came. */
export interface Body {
  readonly [member: string]: unknown;
}

/** A place in a body. */
export interface Found<T> {
  /** As hosts write it: `messages[0].content[1]`. */
  readonly path: string;
  readonly value: T;
}

export function messagesOf({ messages }: Body): readonly Body[] {
  return objectsIn(messages);
}

/** Content in parts; none where it is a text. */
export function partsOf({ content }: Body): readonly Body[] {
  return objectsIn(content);
}

export function callsOf({ tool_calls }: Body): readonly Body[] {
  return objectsIn(tool_calls);
}

export function toolsOf({ tools }: Body): readonly Body[] {
  return objectsIn(tools);
}

/** Objects by what they are in a body. */
export type Kind = 'request' | 'message' | 'part' | 'call' | 'called function' | 'tool' | 'function';

/** Every object of a kind, with its place. */
export function placesOf(body: Body, kind: Kind): readonly Found<Body>[] {
  const messages = found('messages', messagesOf(body));
  const calls = messages.flatMap(({ path, value }) => found(`${path}.tool_calls`, callsOf(value)));
  const tools = found('tools', toolsOf(body));
  switch (kind) {
    case 'request':
      return [{ path: '', value: body }];
    case 'message':
      return messages;
    case 'part':
      return messages.flatMap(({ path, value }) => found(`${path}.content`, partsOf(value)));
    case 'call':
      return calls;
    case 'called function':
      return calls.flatMap((call) => member(call, 'function'));
    case 'tool':
      return tools;
    case 'function':
      return tools.flatMap((tool) => member(tool, 'function'));
  }
}

/** A schema that a request brings, and whether its host shall hold the model to it. */
export interface FoundSchema extends Found<unknown> {
  readonly of: 'function' | 'answer';
  readonly name: string;
  readonly isStrict: boolean;
}

export function schemasOf(body: Body): readonly FoundSchema[] {
  const functions = placesOf(body, 'function').map(({ path, value }): FoundSchema => {
    const { parameters, name, strict } = value;
    const schema = parameters ?? { type: 'object' };
    return {
      path: `${path}.parameters`,
      value: schema,
      of: 'function',
      name: String(name),
      isStrict: strict === true,
    };
  });
  const answer = objectIn(objectIn(body.response_format)?.json_schema);
  if (answer?.schema === undefined) return functions;
  const path = 'response_format.json_schema.schema';
  const { name, schema, strict } = answer;
  return [...functions, { path, value: schema, of: 'answer', name: String(name), isStrict: strict === true }];
}

const SCHEMA_MAPS = ['properties', '$defs', 'definitions', 'patternProperties'];
const SCHEMA_LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const SCHEMAS = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'propertyNames'];

/** A schema and all within it, which are objects or, where somebody says all or nothing, booleans. */
export function subschemasOf(schema: unknown, path = ''): readonly Found<unknown>[] {
  const node = objectIn(schema);
  if (node === undefined) return [{ path, value: schema }];
  const maps = SCHEMA_MAPS.flatMap((word) =>
    Object.entries(objectIn(node[word]) ?? {}).map(([name, value]) => ({
      path: join(path, `${word}.${name}`),
      value,
    })),
  );
  const lists = SCHEMA_LISTS.flatMap((word) => {
    const list: readonly unknown[] = Array.isArray(node[word]) ? node[word] : [];
    return list.map((value, index) => ({ path: join(path, `${word}.${index}`), value }));
  });
  const single = SCHEMAS.flatMap((word) =>
    objectIn(node[word]) === undefined ? [] : [{ path: join(path, word), value: node[word] }],
  );
  return [
    { path, value: node },
    ...[...maps, ...lists, ...single].flatMap((one) => subschemasOf(one.value, one.path)),
  ];
}

/** The data URLs of images, with the media type that they name and their first bytes. */
export function imagesOf(body: Body): readonly (Found<Uint8Array> & { readonly label: string })[] {
  return placesOf(body, 'part').flatMap(({ path, value }) => {
    const image = objectIn(value.image_url)?.url ?? value.image_url;
    const data = typeof image === 'string' ? /^data:([^;,]*);base64,/.exec(image) : null;
    if (data === null || typeof image !== 'string') return [];
    const bytes = Buffer.from(image.slice(data[0].length, data[0].length + 64), 'base64');
    return [{ path: `${path}.image_url`, value: bytes, label: data[1] ?? '' }];
  });
}

export function objectIn(value: unknown): Body | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Body) : undefined;
}

function objectsIn(value: unknown): readonly Body[] {
  return Array.isArray(value) ? value.map((one) => objectIn(one) ?? {}) : [];
}

function found(path: string, values: readonly Body[]): readonly Found<Body>[] {
  return values.map((value, index) => ({ path: `${path}[${index}]`, value }));
}

function member({ path, value }: Found<Body>, name: string): readonly Found<Body>[] {
  const object = objectIn(value[name]);
  return object === undefined ? [] : [{ path: `${path}.${name}`, value: object }];
}

function join(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
