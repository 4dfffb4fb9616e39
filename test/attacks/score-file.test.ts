// Tables of what models say: every form of a signal, several models, populations, and one clear sentence for each thing that can be wrong.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { attackScores } from '../../src/api/index.js';
import { readScoreFile } from '../../src/attacks/index.js';
import { makeRoot } from '../models/tiny-models.js';

const root = makeRoot();
const write = (name: string, text: string): string => {
  const path = join(root, name);
  writeFileSync(path, text);
  return path;
};
const count = 20;
const numbers = Array.from({ length: count }, (_, k) => k);
const member = (k: number) => Number(k < 10);
const margin = (k: number) => Math.sin(k) + (k < 10 ? 1 : 0);
const csv = (header: string, row: (k: number) => string) => [header, ...numbers.map(row)].join('\n');

describe('a table of scores', () => {
  const wanted = { members: numbers.slice(0, 10).map(margin), others: numbers.slice(10).map(margin) };
  const forms = {
    'margin.csv': csv('margin,member', (k) => `${margin(k)},${member(k)}`),
    'loss.csv': csv('member;loss', (k) => `${member(k) === 1 ? 'true' : 'false'};${Math.log1p(Math.exp(-margin(k)))}`),
    'probability.tsv': csv('member\tprobability', (k) => `${member(k)}\t${1 / (1 + Math.exp(-margin(k)))}`),
    'logits.csv': csv('member,label,logit_1,logit_0', (k) => `${member(k)},1,${margin(k)},0`),
    'list.json': JSON.stringify(numbers.map((k) => ({ member: k < 10, label: 0, logits: [margin(k), 0] }))),
    'lines.jsonl': numbers.map((k) => JSON.stringify({ member: member(k), margin: margin(k) })).join('\n'),
  };

  it.each(Object.entries(forms))('%s gives the log-odds', async (name, text) => {
    const { margins, references } = await readScoreFile(write(name, text));
    expect(references).toEqual([]);
    for (const side of ['members', 'others'] as const)
      for (const [k, one] of wanted[side].entries()) expect(margins?.[side][k]).toBeCloseTo(one, 9);
  });

  it('holds several models, matched by example, and known non-members as population', async () => {
    const rows = ['reference', 'target'].flatMap((model, m) =>
      numbers.map((k) => `${model},${(k * 7) % count},${k % 5 === 4 ? '' : (k + m) % 2},${k + 100 * m}`),
    );
    const path = write('models.csv', ['model,example,member,margin', ...rows].join('\n'));
    const { margins, references, population } = await readScoreFile(path);
    expect(margins?.members).toEqual(numbers.filter((k) => k % 5 !== 4 && k % 2 === 0).map((k) => k + 100));
    expect(references?.[0]?.margins.members).toEqual(numbers.filter((k) => k % 5 !== 4 && k % 2 === 0));
    expect(references?.[0]?.inside).toEqual({ members: Array(8).fill(0), others: Array(8).fill(1) });
    expect(population?.margins).toEqual(Float64Array.of(104, 109, 114, 119));
    expect(population?.references).toEqual([Float64Array.of(4, 9, 14, 19)]);
    expect((await readScoreFile(path, 'reference')).margins?.others[0]).toBe(0);
  });

  it.each([
    ['loss\n1', 'line 2: expected a column member (1 or 0), got loss'],
    ['member,loss\n1,x', 'line 2: loss: expected a finite number, got "x"'],
    ['member,loss\n1,-2', 'line 2: loss: expected a number from 0 on, got -2'],
    ['member,loss\nmaybe,2', 'line 2: member: expected 1 or 0 (or nothing), got maybe'],
    ['member,probability\n1,1.2', 'line 2: probability: expected above 0 and at most 1, got 1.2'],
    ['member,score\n1,2', 'expected loss, margin, probability or logits, got member, score'],
    ['member,logit_0,logit_1,label\n1,2,3,5', 'label: expected 0 to 1, got 5'],
    ['member,loss\n1,2,3', 'line 2: expected 2 columns, got 3'],
    ['member,loss', 'expected rows, got none'],
    ['model,member,loss\na,1,2', 'expected a column example beside model'],
    ['model,example,member,loss\na,1,1,2\na,1,1,2', 'a second row for example 1 of model a'],
    ['member,loss\n1,2\n0,3', 'expected at least 8 members of the target, got 1'],
  ])('%j is refused', async (text, message) => {
    await expect(readScoreFile(write('wrong.csv', text))).rejects.toThrow(message);
  });

  it('is refused if another model lacks an example, is missing itself, or is no JSON', async () => {
    const rows = numbers.map((k) => `target,${k},${member(k)},1`);
    const short = write('short.csv', ['model,example,member,loss', ...rows, 'other,0,1,1'].join('\n'));
    await expect(readScoreFile(short)).rejects.toThrow('expected a row for example 1 of model other');
    await expect(readScoreFile(short, 'nobody')).rejects.toThrow(
      'expected rows of the model nobody, got target, other',
    );
    await expect(readScoreFile(write('bad.json', '[{'))).rejects.toThrow('expected JSON');
    await expect(readScoreFile(write('list.jsonl', '3'))).rejects.toThrow('line 1: expected an object, got 3');
    await expect(readScoreFile(join(root, 'none.csv'))).rejects.toThrow('none.csv: no such file');
  });
});

describe('all attacks on a table', () => {
  const world = (models: number) =>
    Array.from({ length: models }, (_, m) =>
      numbers.map((k) => {
        const inside = (k * 3 + m) % 4 < 2 ? 1 : 0;
        return `${m === 0 ? 'target' : `m${m}`},${k},${inside},${Math.sin(k * 7) + 2 * inside + Math.cos(13 * m + k) / 5}`;
      }),
    ).flat();

  it('run as far as the models allow it, and the others say what they need', async () => {
    const alone = await attackScores({ scores: write('alone.csv', forms1()) });
    expect(alone.results.map(({ attack }) => attack)).toEqual(['membership']);
    expect(alone.skipped.map(({ reason }) => reason)).toContain('needs other models');
    const all = await attackScores({
      scores: write('all.csv', ['model,example,member,margin', ...world(9)].join('\n')),
    });
    const names = ['membership', 'mia', 'mia-r', 'lira online', 'lira offline', 'rmia online', 'rmia offline'];
    expect(all.results.map(({ attack }) => attack)).toEqual(names);
    expect(all.skipped.map(({ attack }) => attack)).toEqual(['mia-n', 'gradient-norm', 'updates', 'white-box']);
    const auc = Object.fromEntries(all.results.map((one) => [one.attack, one.auc.value]));
    // An example's own log-odds vary by ±1, membership moves them by 2, and noise by a fifth: other models make it certain.
    expect(auc['lira online']).toBe(1);
    expect(auc.membership).toBeLessThan(1);
    expect(all.verdict).toContain('Members can be told from others');
    expect(all.results.every(({ tprAt1 }) => tprAt1 === null)).toBe(true);
  });

  const forms1 = () => csv('margin,member', (k) => `${margin(k)},${member(k)}`);
});
