/**
 * Azure's errors, in its own words: a wrong key as in https://github.com/SciSharp/BotSharp/issues/386. What it lacks of
 * OpenAI's members, and since which version: https://learn.microsoft.com/azure/ai-foundry/openai/api-version-lifecycle.
 */
import type { IncomingMessage } from 'node:http';
import { azure } from '../../strict/hosts/azure.js';
import { RESPONSES_AZURE } from '../../strict/native/responses.js';
import {
  bodyRefusal,
  type FakeError,
  parse,
  responsesRefusal,
  unknownArgument,
} from '../fake-openai/errors.js';
import type { ChatCall } from '../fake-openai/plan.js';

/** What errors of a resource depend on. */
export interface FakeResource {
  readonly apiKey: string;
  readonly deployments: ReadonlySet<string>;
}

/** Paths that name the deployment, and those where the body does. */
const DEPLOYMENT_PATH = /^(?:\/openai)?\/deployments\/([^/]+)\/chat\/completions$/;
const MODEL_PATHS: ReadonlySet<string> = new Set([
  ...['/openai/v1/chat/completions', '/models/chat/completions'],
  ...['/openai/v1/responses', '/openai/responses'],
]);

/** The paths that need no version. */
const UNDATED_PATHS: ReadonlySet<string> = new Set(['/openai/v1/chat/completions', '/openai/v1/responses']);

/** The deployment that a request is for. */
export function deploymentOf(path: string, { model = '' }: ChatCall): string {
  const named = DEPLOYMENT_PATH.exec(urlOf(path).pathname)?.[1];
  return named === undefined ? model : decodeURIComponent(named);
}

/** Checks a request like Azure: caller, path, deployment, then the body. */
export function azureRefusal(
  { apiKey, deployments }: FakeResource,
  { method, url = '', headers }: IncomingMessage,
  text: string,
): FakeError | undefined {
  if (headers['api-key'] !== apiKey) return error(401, '401', WRONG_KEY);
  const { pathname, searchParams } = urlOf(url);
  const version = searchParams.get('api-version');
  const isPath = DEPLOYMENT_PATH.test(pathname) || MODEL_PATHS.has(pathname);
  if (method !== 'POST' || !isPath || (version === null && !UNDATED_PATHS.has(pathname))) {
    return error(404, '404', 'Resource not found');
  }
  const call = parse(text);
  if (call === undefined) return bodyRefusal(text, azure);
  const deployment = deploymentOf(url, call);
  if (!deployments.has(deployment)) return error(404, 'DeploymentNotFound', NOT_DEPLOYED);
  if (pathname.endsWith('/responses'))
    return responsesRefusal(text, { ...RESPONSES_AZURE, model: deployment });
  if (OLD_FOR_REASONING.test(version ?? '') && /^o\d/.test(deployment))
    return error(400, 'BadRequest', TOO_OLD);
  const refusal = bodyRefusal(text, azure, deployment);
  if (refusal !== undefined) return refusal;
  const isOld = version !== null && version < '2024-09-01';
  return isOld && call.stream_options !== undefined ? unknownArgument('stream_options') : undefined;
}

/** The error for a filtered prompt: https://github.com/microsoft/TinyTroupe/issues/85. */
export const FILTERED_PROMPT = {
  status: 400,
  body: {
    error: {
      message:
        "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
      type: null,
      param: 'prompt',
      code: 'content_filter',
      status: 400,
      innererror: {
        code: 'ResponsibleAIPolicyViolation',
        content_filter_result: {
          hate: { filtered: true, severity: 'high' },
          jailbreak: { filtered: false, detected: false },
        },
      },
    },
  },
};

/** The error above the rate limit. */
export const RATE_LIMITED = {
  status: 429,
  body: {
    error: {
      code: '429',
      message:
        'Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2024-10-21 have exceeded token ' +
        'rate limit of your current OpenAI S0 pricing tier. Please retry after 86400 seconds.',
    },
  },
};

/** Versions before 2024-12-01-preview, which the o series refuses. */
const OLD_FOR_REASONING = /^(?:202[0-3]|2024-(?:0|1[01]))/;

/** Word for word, the placeholder too: https://github.com/microsoft/genaiscript/issues/1121. */
const TOO_OLD = 'Model {modelName} is enabled only for api versions 2024-12-01-preview and later';

const WRONG_KEY =
  'Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an ' +
  'active subscription and use a correct regional API endpoint for your resource.';
const NOT_DEPLOYED =
  'The API deployment for this resource does not exist. If you created the deployment within the last 5 minutes, ' +
  'please wait a moment and try again.';

function urlOf(path: string): URL {
  return new URL(path, 'http://fake');
}

function error(status: number, code: string, message: string): FakeError {
  return { status, body: { error: { code, message } } };
}
