import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOSTS, modelIdOf, speaksMessages } from '../../support/hosts/table.js';
import { rowsOf } from '../../support/rest.js';
import { hostedSessions } from '../hosted-sessions.js';
import { CLAUDE_CODE, startSession } from './claude-code.js';
import { FILES, LEFT, ScriptedModel, stepsIn, TOOLS } from './session-script.js';

/** A session is a process, and some twenty requests; a slow machine takes several times as long. */
const RUN_MS = 240_000;

/** One of each lane: Claude as she speaks, Gemini, and a host of OpenAI's format that wants its thoughts back. */
const SOME = ['converse-claude', 'gemini-3', 'deepseek deepseek-v4-pro'];

/** `CLAUDE_CODE_HOSTS=all`, or a part of a host's name, runs others. */
const { CLAUDE_CODE_HOSTS: wanted = '' } = process.env;
const CHOSEN = HOSTS.filter(({ name }) =>
  wanted === '' ? SOME.includes(name) : wanted === 'all' || name.includes(wanted),
);

describe.runIf(CLAUDE_CODE !== '')('a session of Claude Code', () => {
  const reasoning = { mandatory: false, supports_max_tokens: false };
  const sessions = hostedSessions(CHOSEN, { reasoning }, RUN_MS);

  it.each(CHOSEN)(
    'goes through ten turns with tools at $name, and sends it nothing that it refuses',
    async (host) => {
      const { hosts, server, fence, manage, folderOf, addFigure } = sessions();
      const place = {
        folder: folderOf(host, FILES),
        url: `http://127.0.0.1:${server.port}`,
        apiKey: server.apiKey,
        fence,
      };
      const steps = stepsIn(place.folder);
      const model = new ScriptedModel(host, steps);
      hosts.plan(host, model.plan);
      const since = performance.now();
      const session = startSession(place, modelIdOf(host), TOOLS);
      const heard: { readonly result: string; readonly is_error: boolean }[] = [];
      let sessionId = '';
      for (let step = model.next(); step !== undefined; step = model.next()) {
        const { result, is_error, session_id } = await session.ask(step.asked);
        heard.push({ result, is_error });
        sessionId = session_id;
      }
      await session.close();
      const seconds = (performance.now() - since) / 1000;
      const requests = hosts.requests(host);
      const refused = requests.flatMap((request) => request.refused ?? []);
      addFigure(
        `${host.name}: ${heard.length} turns, ${requests.length} requests, ${seconds.toFixed(1)} s, ${refused.length} refused`,
      );
      expect(refused).toEqual([]);
      expect(heard).toEqual(steps.map(({ said }) => ({ result: said, is_error: false })));
      const hasTools = !host.lacks.includes('tools');
      const rounds = hasTools ? steps.flatMap((step) => step.rounds).length : 0;
      expect(model.answers).toBe(steps.length + rounds);
      // What the last command printed.
      if (hasTools) expect(JSON.stringify(requests.at(-1)?.body)).toContain('word is quince');
      const left = hasTools ? LEFT : FILES;
      for (const [name, text] of Object.entries(left)) {
        expect(readFileSync(join(place.folder, name), 'utf8')).toBe(text);
      }
      const records = rowsOf(await manage('GET', '/generations?limit=100'));
      const lane = speaksMessages(host) ? 'native' : 'translated';
      const ours = records.filter(({ session_id }) => session_id === sessionId);
      expect(ours.length).toBeGreaterThanOrEqual(steps.length);
      for (const record of ours) expect(record).toMatchObject({ api: 'messages', lane });
      expect(fence.strays).toEqual([]);
    },
    RUN_MS,
  );
});
