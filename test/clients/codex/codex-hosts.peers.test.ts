import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { HOSTS, type Host, modelIdOf, speaksResponses } from '../../support/hosts/table.js';
import { rowsOf } from '../../support/rest.js';
import { hostedSessions } from '../hosted-sessions.js';
import { CODEX, type CodexOptions, codexTurn } from './codex.js';
import { CodexModel, FILES, LEFT, PIXEL, STEPS, type Step, SUMMARY } from './codex-script.js';

/** Eight turns, each a process. */
const RUN_MS = 120_000;

/** One host of each adapter and format. `CODEX_HOSTS=all`, or a part of a host's name, runs others. */
const { CODEX_HOSTS: wanted = '' } = process.env;
const CHOSEN = HOSTS.filter((host, at) =>
  wanted === ''
    ? HOSTS.findIndex(({ adapter, format }) => adapter === host.adapter && format === host.format) === at
    : wanted === 'all' || host.name.includes(wanted),
);

const IMAGE = 'pixel.png';

/** Models that see. */
const SEES = {
  modality: 'text+image->text',
  input_modalities: ['text', 'image'],
  output_modalities: ['text'],
};

function optionsOf(host: Host, { hasImage, compactsBeyondTokens }: Step): Omit<CodexOptions, 'resumes'> {
  const limit = { model_auto_compact_token_limit: String(compactsBeyondTokens) };
  return {
    model: modelIdOf(host),
    listsModels: true,
    ...(hasImage && !host.lacks.includes('images') && { images: [IMAGE] }),
    ...(compactsBeyondTokens !== undefined && { settings: limit }),
  };
}

describe.runIf(CODEX !== '')('a session of Codex', () => {
  const sessions = hostedSessions(CHOSEN, { architecture: SEES }, RUN_MS);

  it.each(CHOSEN)(
    'runs commands, edits a file, sends an agent, shows an image, and is summed up at $name, and sends it nothing that it refuses',
    async (host) => {
      const { hosts, server, fence, manage, folderOf, addFigure } = sessions();
      const place = {
        folder: folderOf(host, { ...FILES, [IMAGE]: Buffer.from(PIXEL, 'base64') }),
        rest: `http://127.0.0.1:${server.port}/api/v1`,
        apiKey: server.apiKey,
        fence,
      };
      const model = new CodexModel(host);
      hosts.plan(host, model.plan);
      const since = performance.now();
      const heard: { readonly said: string; readonly failure: string | undefined }[] = [];
      for (let step = model.next(); step !== undefined; step = model.next()) {
        const options = { ...optionsOf(host, step), resumes: heard.length > 0 };
        const { said, failure, warnings } = await codexTurn(place, step.asked, options);
        expect(warnings).toEqual([]);
        heard.push({ said, failure });
      }
      const requests = hosts.requests(host);
      const refused = requests.flatMap((request) => request.refused ?? []);
      const seconds = (performance.now() - since) / 1000;
      addFigure(
        `${host.name}: ${requests.length} requests, ${seconds.toFixed(1)} s, ${refused.length} refused`,
      );
      expect(refused).toEqual([]);
      expect(heard).toEqual(STEPS.map(({ said }) => ({ said, failure: undefined })));
      const hasTools = !host.lacks.includes('tools');
      const sent = requests.map(({ body }) => JSON.stringify(body));
      const hasImages = !host.lacks.includes('images');
      expect(sent.some((body) => body.includes(PIXEL.slice(0, 30)))).toBe(hasImages);
      expect(sent.filter((body) => body.includes('unsupported call'))).toEqual([]);
      expect(model.asides).toEqual({ summaries: 1, errands: hasTools ? 1 : 0 });
      // After it was summed up.
      expect(sent.at(-1)).toContain(SUMMARY);
      expect(sent.at(-1)).not.toContain('word is kumquat');
      if (hasTools) {
        expect(sent.at(-1)).toContain('word is quince');
        expect(sent.at(-1)).not.toContain(STEPS[0]?.said);
      }
      for (const [name, text] of Object.entries(hasTools ? LEFT : FILES)) {
        expect(readFileSync(join(place.folder, name), 'utf8')).toBe(text);
      }
      const records = rowsOf(await manage('GET', '/generations?limit=100'));
      const ours = records.filter(({ model: asked }) => asked === modelIdOf(host));
      const lane = speaksResponses(host) ? 'native' : 'translated';
      for (const record of ours) expect(record).toMatchObject({ api: 'responses', lane });
      expect(new Set(ours.map(({ session_id }) => session_id)).size).toBe(1);
      const agents = ours.flatMap(({ agent_id }) => agent_id ?? []);
      expect(agents).toEqual(hasTools ? ['collab_spawn'] : []);
      expect(fence.strays).toEqual([]);
    },
    RUN_MS,
  );
});
