/** Z.ai's GLM. */
import { within } from '../members.js';
import { assumed, documented, onModels, reported, type StrictHost, typed } from '../rule.js';
import { efforts } from '../thoughts.js';
import { choices } from '../tools.js';
import { rolesKnown, someoneAsks } from '../turns.js';

const REFERENCE =
  'https://docs.bigmodel.cn/api-reference/%E6%A8%A1%E5%9E%8B-api/%E5%AF%B9%E8%AF%9D%E8%A1%A5%E5%85%A8';
const SDK = 'PyPI zai-sdk 0.2.3 Completions.create, which keeps it within';

export const zAi: StrictHost = {
  name: 'z-ai',
  format: 'chat',
  model: 'glm-4.7',
  rules: [
    someoneAsks(
      reported(`https://github.com/anomalyco/opencode/issues/2557; ${REFERENCE}`),
      'The messages parameter is illegal. Please check the documentation.',
    ),
    rolesKnown(
      documented(REFERENCE),
      ['system', 'user', 'assistant', 'tool'],
      () => 'The messages parameter is illegal. Please check the documentation.',
    ),
    choices(
      assumed(`${REFERENCE}; https://java.agentscope.io/v2/en/integration/model/glm: only auto is accepted`),
      ['auto'],
      false,
      () => 'Invalid API parameter, please check the documentation.',
    ),
    within(typed(SDK), 'temperature', { least: 0, most: 1 }),
    within(typed(SDK), 'top_p', { least: 0, most: 1 }),
    onModels(
      /glm-5\.[3-9]/,
      'glm-5.3',
      efforts(
        documented(REFERENCE),
        ['low', 'high', 'max'],
        () => 'Invalid API parameter, please check the documentation.',
      ),
    ),
    onModels(
      /glm-5\.2/,
      'glm-5.2',
      efforts(
        documented(REFERENCE),
        ['max', 'xhigh', 'medium', 'low', 'minimal', 'none', 'high'],
        () => 'Invalid API parameter, please check the documentation.',
      ),
    ),
  ],
  refuse: (message, { status = 400 }) => ({
    status,
    body: { error: { code: message.includes('messages') ? '1214' : '1210', message } },
  }),
};
