import { type DescMethod, getOption, hasOption } from '@bufbuild/protobuf';
import { type MethodRule, Plane, Role } from '../../gen/byway/options/v1/options_pb.js';
import { http } from '../../gen/google/api/annotations_pb.js';
import { ruleOf } from '../protobuf/method-rule.js';

/** The HTTP methods that operations use. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** One piece of a path between slashes. */
export type Segment =
  | { readonly kind: 'text'; readonly text: string }
  /** A path variable, by the names of the fields that lead to its value. */
  | { readonly kind: 'variable'; readonly fields: readonly string[] };

/** A method's annotations, checked by themselves but not yet against its messages. */
export interface HttpBinding {
  readonly method: DescMethod;
  readonly rule: MethodRule;
  readonly httpMethod: HttpMethod;
  readonly segments: readonly Segment[];
  /** Name of the field that the body is, `*` for the whole request, empty for no body. */
  readonly body: string;
}

const HTTP_METHODS = { get: 'GET', post: 'POST', put: 'PUT', patch: 'PATCH', delete: 'DELETE' } as const;
const SEGMENT = /^(?:[A-Za-z0-9_.-]+|\{([a-z0-9_]+(?:\.[a-z0-9_]+)*)\})$/;

/** Reads `google.api.http` and `byway.options.v1.method` of a method. Throws an Error that names what is wrong. */
export function httpBinding(method: DescMethod): HttpBinding {
  const rule = checkedRule(method);
  if (!hasOption(method, http)) throw wrongMethod(method, 'has no google.api.http annotation');
  const { pattern, body, additionalBindings } = getOption(method, http);
  if (pattern.case === undefined || pattern.case === 'custom') {
    throw wrongMethod(method, 'needs one of get, post, put, patch and delete');
  }
  if (additionalBindings.length > 0) throw wrongMethod(method, 'additional_bindings are not supported');
  const httpMethod = HTTP_METHODS[pattern.case];
  if (body !== '' && (httpMethod === 'GET' || httpMethod === 'DELETE')) {
    throw wrongMethod(method, `${httpMethod} has no body`);
  }
  return { method, rule, httpMethod, segments: parseTemplate(method, pattern.value), body };
}

/** An error of a method's annotations: it stops the start, naming file, method and reason. */
export function wrongMethod(method: DescMethod, reason: string): Error {
  const { parent } = method;
  return new Error(`${parent.file.name}.proto: ${parent.name}.${method.name}: ${reason}`);
}

function checkedRule(method: DescMethod): MethodRule {
  const rule = ruleOf(method);
  if (rule.roles.length === 0 || rule.roles.includes(Role.UNSPECIFIED)) {
    throw wrongMethod(method, 'must name the roles that may call it');
  }
  if (rule.plane === Plane.UNSPECIFIED) throw wrongMethod(method, 'must name its plane');
  if (rule.successStatus !== 0 && (rule.successStatus < 200 || rule.successStatus > 299)) {
    throw wrongMethod(method, `success_status ${rule.successStatus} is not a status of success`);
  }
  return rule;
}

function parseTemplate(method: DescMethod, template: string): readonly Segment[] {
  if (!template.startsWith('/')) throw wrongMethod(method, `the path ${template} must start with a slash`);
  return template
    .slice(1)
    .split('/')
    .map((text) => {
      const match = SEGMENT.exec(text);
      if (match === null) throw wrongMethod(method, `the path ${template} is not made of names and {fields}`);
      const [, fields] = match;
      return fields === undefined ? { kind: 'text', text } : { kind: 'variable', fields: fields.split('.') };
    });
}
