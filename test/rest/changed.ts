import {
  clone,
  createFileRegistry,
  type DescExtension,
  type DescFile,
  type DescService,
  type Extendee,
  type ExtensionValueShape,
  getExtension,
  setExtension,
} from '@bufbuild/protobuf';
import {
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  type MethodOptions,
  type ServiceOptions,
} from '@bufbuild/protobuf/wkt';

/** The file's services after a change of its source. */
export function changed(file: DescFile, change: (proto: FileDescriptorProto) => void): DescService[] {
  const proto = clone(FileDescriptorProtoSchema, file.proto);
  change(proto);
  const registry = createFileRegistry(proto, (name) =>
    file.dependencies.find((found) => found.proto.name === name),
  );
  return [...registry.files].flatMap((found) => found.services);
}

/** Changes one option. */
export function edit<Ext extends DescExtension>(
  options: Extendee<Ext> | undefined,
  extension: Ext,
  change: (value: ExtensionValueShape<Ext>) => unknown,
): void {
  if (options === undefined) throw new Error('no options');
  const value = getExtension(options, extension);
  change(value);
  setExtension(options, extension, value);
}

/** The options of a method of the file's first service. */
export function methodOptions(proto: FileDescriptorProto, name: string): MethodOptions {
  const options = proto.service[0]?.method.find((method) => method.name === name)?.options;
  if (options === undefined) throw new Error(`no method ${name}`);
  return options;
}

/** The options of the file's first service. */
export function serviceOptions(proto: FileDescriptorProto): ServiceOptions {
  const options = proto.service[0]?.options;
  if (options === undefined) throw new Error('the service has no options');
  return options;
}
