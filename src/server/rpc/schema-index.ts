import {
  type DescEnum,
  type DescExtension,
  type DescFile,
  type DescMessage,
  type DescService,
  toBinary,
} from '@bufbuild/protobuf';
import { nestedTypes } from '@bufbuild/protobuf/reflect';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';

/** The elements of a schema by name. Names are fully qualified, without a leading dot. */
export interface SchemaIndex {
  /** The services it was made of, sorted. */
  readonly services: readonly string[];
  /** By its import path, such as `byway/v1/keys.proto`. */
  fileByName(name: string): DescFile | undefined;
  /** By a message, enum, extension, service or method (`package.Service.Method`). */
  fileOfSymbol(symbol: string): DescFile | undefined;
  fileOfExtension(containingType: string, number: number): DescFile | undefined;
  /** Ascending; undefined when there is no such message. */
  extensionNumbers(containingType: string): number[] | undefined;
  /** The serialized descriptors of the file and of everything it imports: itself first, each once. */
  closure(file: DescFile): Uint8Array[];
}

/** Indexes the files of the services, the others that are given, and everything that these import. */
export function createSchemaIndex(
  services: readonly DescService[],
  others: readonly DescFile[] = [],
): SchemaIndex {
  const files = importsFirst([...services.map((service) => service.file), ...others]);
  const byName = new Map(files.map((file) => [file.proto.name, file]));
  const types = files.flatMap((file) => [...nestedTypes(file)]);
  const bySymbol = new Map(
    types.flatMap((type) => symbolsOf(type).map((symbol): [string, DescFile] => [symbol, type.file])),
  );
  const messages = new Set(types.filter((type) => type.kind === 'message').map((type) => type.typeName));
  const extensions = types.filter((type) => type.kind === 'extension');
  const extending = (type: string) => extensions.filter(({ extendee }) => extendee.typeName === type);
  return {
    services: services.map((service) => service.typeName).sort(),
    fileByName: (name) => byName.get(name),
    fileOfSymbol: (symbol) => bySymbol.get(symbol),
    fileOfExtension: (type, number) => extending(type).find((extension) => extension.number === number)?.file,
    extensionNumbers(type) {
      if (!messages.has(type)) return undefined;
      return extending(type)
        .map((extension) => extension.number)
        .sort((a, b) => a - b);
    },
    closure: (file) => importsFirst([file]).reverse().map(serialize),
  };
}

/** The files and all that they import, each once and after its own imports. */
function importsFirst(roots: readonly DescFile[]): DescFile[] {
  const found = new Set<DescFile>();
  const visit = (file: DescFile) => {
    if (found.has(file)) return;
    file.dependencies.forEach(visit);
    found.add(file);
  };
  roots.forEach(visit);
  return [...found];
}

function symbolsOf(type: DescMessage | DescEnum | DescExtension | DescService): string[] {
  const methods = type.kind === 'service' ? type.methods : [];
  return [type.typeName, ...methods.map((method) => `${type.typeName}.${method.name}`)];
}

function serialize(file: DescFile): Uint8Array {
  return toBinary(FileDescriptorProtoSchema, file.proto);
}
