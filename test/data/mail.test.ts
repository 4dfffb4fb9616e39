// The properties that docs/mail.md claims, on the real corpus.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type DataSet, type Example, loadDataSet, loadMail, mailWordLimit, prepareMail } from '../../src/data/index.js';
import { cacheFolder } from '../../src/platform/index.js';

const folder = mkdtempSync(join(tmpdir(), 'epsilens-mail-'));
let mail: DataSet;
let all: readonly Example[];
let kept: string;
let extracted: number | undefined;

beforeAll(async () => {
  await prepareMail(); // set-up has done it already, as a rule
  kept = cacheFolder();
  vi.stubEnv('EPSILENS_CACHE', folder);
  extracted = await prepareMail();
  mail = await loadMail();
  all = Object.values(mail.splits).flat();
}, 240_000);
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

const count = (examples: readonly Example[] = []) =>
  [0, 1].map((label) => examples.filter((one) => one.label === label).length);
const texts = (pattern: RegExp) => all.filter(({ text }) => pattern.test(text)).map(({ text }) => text);

describe('the mail data set', () => {
  it('holds every message of the corpus that has words', () => {
    expect(mail).toMatchObject({ name: 'mail', classes: ['ham', 'spam'] });
    expect(extracted).toBe(6046);
    expect(mail.skipped).toEqual({ test: 1 });
    expect(count(all)).toEqual([4150, 1895]);
  });

  it('is split by thread', () => {
    const { train, validation, test } = mail.splits;
    expect([train, validation, test].map(count)).toEqual([
      [3302, 1559],
      [493, 147],
      [355, 189],
    ]);
    const places = new Map<string, Set<string>>();
    for (const [part, examples] of Object.entries(mail.splits)) {
      for (const { group } of examples) places.set(`${group}`, (places.get(`${group}`) ?? new Set()).add(part));
    }
    expect(places.size).toBe(2658);
    expect([...places].filter(([, parts]) => parts.size > 1)).toEqual([]);
  });

  it('has no text in two splits', () => {
    const train = new Set(mail.splits.train?.map(({ text }) => text));
    const others = [...(mail.splits.validation ?? []), ...(mail.splits.test ?? [])];
    expect(others.filter(({ text }) => train.has(text))).toEqual([]);
  });

  it('keeps to the word limit, on one line per text', () => {
    expect(all.filter(({ text }) => text.split(/\s+/).length > mailWordLimit)).toEqual([]);
    expect(all.filter(({ text }) => text !== text.trim() || /[\n\r\t]| {2}/.test(text))).toEqual([]);
    expect(all.filter(({ text }) => text.split(' ').length === mailWordLimit).length).toBeGreaterThan(3000);
  });

  it('has no markup left', () => {
    expect(texts(/<\/?(?:html|body|table|td|font|br|p|a)\b[^<>]*>/i)).toEqual([]);
    expect(texts(/&(?:nbsp|amp|lt|gt|quot|#\d+);/i)).toEqual([]);
  });

  it('has no headers, encodings or addresses left', () => {
    const header = /Content-Transfer-Encoding:|Content-Type: (?:text|multipart)|Received: from|MIME-Version:|=3D"/i;
    expect(texts(header)).toEqual([]);
    expect(texts(/[\p{Cc}\ufffd]/u)).toEqual([]);
    expect(texts(/\w@\w+\.\w|https?:\/\//)).toEqual([]);
  });

  it('does not reveal on which list a message was found', () => {
    expect(texts(/^(?:re|fwd?):|^\[/i)).toEqual([]);
    const footer = /listinfo|List maintainer:|sf\.net email is sponsored|DeathToSpam|BEGIN PGP|Yahoo! Groups Sponsor/i;
    expect(texts(footer)).toEqual([]);
  });

  it('can be loaded by its name', async () => {
    expect(await loadDataSet('bundled:mail')).toEqual(mail);
    await expect(loadDataSet('bundled:male')).rejects.toThrow('bundled:mail');
  });
});

describe('its cache', () => {
  it('loads quickly', async () => {
    const times: number[] = [];
    for (let run = 0; run < 5; run += 1) {
      const start = performance.now();
      await loadMail();
      times.push(performance.now() - start);
    }
    expect(Math.min(...times)).toBeLessThan(500); // 50 on an idle machine
    expect(await prepareMail()).toBeUndefined();
  });

  it('holds the same bytes whichever process extracts', () => {
    const [file] = readdirSync(folder);
    const same = readFileSync(join(folder, `${file}`)).equals(readFileSync(join(kept, `${file}`)));
    expect(same, 'rows changed: raise cleaningVersion in src/data/mail/load.ts').toBe(true);
  });
});
