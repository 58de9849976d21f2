// Copies the schema dependencies to proto/vendor/ from packages that the lockfile pins, so that generation works offline.
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ScalarType } from '@bufbuild/protobuf';
import { file_buf_validate_validate } from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js';

const VENDOR = 'proto/vendor';
const COPIES = {
  'google/google/api/annotations.proto': 'protobufjs/google/api/annotations.proto',
  'google/google/api/http.proto': 'protobufjs/google/api/http.proto',
  'grpc/grpc/health/v1/health.proto': 'grpc-health-check/proto/health/v1/health.proto',
  'grpc/grpc/reflection/v1/reflection.proto':
    '@grpc/reflection/build/proto/grpc/reflection/v1/reflection.proto',
  'grpc/grpc/reflection/v1alpha/reflection.proto':
    '@grpc/reflection/build/proto/grpc/reflection/v1alpha/reflection.proto',
};

rmSync(VENDOR, { recursive: true, force: true });
for (const [to, from] of Object.entries(COPIES)) {
  const target = join(VENDOR, to);
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(join('node_modules', from), target);
}
const validate = join(VENDOR, 'validate/buf/validate/validate.proto');
mkdirSync(dirname(validate), { recursive: true });
writeFileSync(validate, printFile(file_buf_validate_validate));

/** The .proto text of a proto2 file descriptor: names, types and numbers, which is all that a user of it compiles against. */
function printFile(file) {
  const imports = file.dependencies.map((d) => `import "${d.name}.proto";`);
  const extensions = file.extensions.map((e) => `extend ${e.extendee.typeName} { ${field(e, 'optional ')} }`);
  const bodies = [...file.enums.map(printEnum), ...file.messages.map(printMessage), ...extensions];
  return ['syntax = "proto2";', `package ${file.proto.package};`, ...imports, ...bodies, ''].join('\n');
}

function printEnum(type) {
  return `enum ${type.name} {\n${type.values.map((v) => `${v.name} = ${v.number};`).join('\n')}\n}`;
}

function printMessage(type) {
  const nested = [...type.nestedEnums.map(printEnum), ...type.nestedMessages.map(printMessage)];
  const fields = type.members.map((member) =>
    member.kind === 'oneof'
      ? `oneof ${member.name} {\n${member.fields.map((f) => field(f, '')).join('\n')}\n}`
      : field(member, member.fieldKind === 'list' ? 'repeated ' : 'optional '),
  );
  // Rule messages may be extended by users ("extensions 1000 to max").
  const ranges = type.proto.extensionRange.map(
    (r) => `extensions ${r.start} to ${r.end > 536870911 ? 'max' : r.end - 1};`,
  );
  return `message ${type.name} {\n${[...nested, ...fields, ...ranges].join('\n')}\n}`;
}

function field(f, label) {
  return `${label}${typeName(f)} ${f.name} = ${f.number};`;
}

function typeName(f) {
  const type = f.message ?? f.enum;
  return type ? `.${type.typeName}` : ScalarType[f.scalar].toLowerCase();
}
