// `epsilens account` as a person uses it, on the built package.

import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const main = join(import.meta.dirname, '..', '..', 'dist', 'cli', 'main.js');
const account = (...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, 'account', ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
};
const setting = ['--sample-rate', '0.04', '--steps', '2250', '--delta', '1e-5'];

describe('epsilens account', () => {
  it('gives the known values by every accountant as JSON', () => {
    const { status, stdout, stderr } = account(...setting, '--noise', '1.5', '--json');
    expect([status, stderr]).toEqual([0, '']);
    const { epsilon, ...rest } = JSON.parse(stdout);
    expect(rest).toMatchObject({ delta: 1e-5, neighbours: 'add-or-remove-one', noiseMultiplier: 1.5 });
    expect(epsilon.rdp.epsilon).toBeCloseTo(7.3291111715, 8);
    expect(epsilon.rdp.order).toBe(3.9);
    expect(epsilon.pld.lower).toBeLessThan(6.7689);
    expect(epsilon.pld.upper).toBeGreaterThan(6.7687);
    expect(epsilon.pld.upper - epsilon.pld.lower).toBeLessThan(0.01);
    expect(epsilon.gdp).toMatchObject({ bound: 'approximate' });
    expect(epsilon.gdp.epsilon).toBeCloseTo(6.6016, 4);
    expect(epsilon.moments.epsilon).toBeGreaterThan(epsilon.rdp.epsilon);
    for (const name of ['zcdp', 'advanced', 'basic']) expect(epsilon[name].epsilon).toBeGreaterThan(10);
    expect(rest.shuffled.epsilon).toBeGreaterThan(epsilon.pld.upper);
  });

  it('finds noise that keeps the target, and little more', () => {
    const { stdout } = account(...setting, '--target-epsilon', '8', '--accountant', 'rdp', '--json');
    const { epsilon, noiseMultiplier } = JSON.parse(stdout);
    expect(epsilon.rdp.epsilon).toBeLessThanOrEqual(8);
    expect(epsilon.rdp.epsilon).toBeGreaterThan(7.99);
    expect(noiseMultiplier).toBeGreaterThan(1);
  });

  it('prints a table, the series and a statement with what it does not cover', () => {
    const { status, stdout } = account(...setting, '--noise', '1.5', '--every', '1125', '--records', '1000');
    expect(status).toBe(0);
    expect(stdout).toMatch(/pld +6\.7689 +between 6\.7687 and 6\.7689/);
    expect(stdout).toMatch(/ +1125 +\d\.\d+\n +2250 +6\.7689/);
    expect(stdout).toContain('adding or removing one example');
    expect(stdout).toContain('Not covered');
    expect(stdout).toContain('do not quote');
  });

  it('still gives the other numbers where one accountant cannot, and says why', () => {
    const { status, stdout } = account(
      '--sample-rate',
      '.01',
      '--noise',
      '.3',
      '--steps',
      '100000',
      '--delta',
      '1e-5',
      '--json',
    );
    expect(status).toBe(0);
    const { epsilon, statement } = JSON.parse(stdout);
    expect(epsilon.rdp.epsilon).toBeGreaterThan(1000);
    // Either PLD cannot, and says so, or it has learnt to.
    if (epsilon.pld.error === undefined) expect(epsilon.pld.upper).toBeLessThanOrEqual(epsilon.rdp.epsilon);
    else
      expect([epsilon.pld.error, statement[0]]).toEqual([
        expect.stringContaining('rdp'),
        expect.stringContaining('rdp'),
      ]);
  });

  it('refuses bad input with one sentence that names the argument', () => {
    const cases = [
      [['--sample-rate', '1.5', '--noise', '1', '--steps', '10', '--delta', '1e-5'], 'invalid sampleRate'],
      [['--sample-rate', '0.1', '--noise', '1', '--steps', '10', '--delta', '2'], 'invalid delta'],
      [['--sample-rate', '0.1', '--noise', '0', '--steps', '10', '--delta', '1e-5'], "'0' is invalid"],
      [['--sample-rate', '0.1', '--noise', 'NaN', '--steps', '10', '--delta', '1e-5'], "'NaN' is invalid"],
      [['--sample-rate', '0.1', '--noise', '1', '--steps', '1.5', '--delta', '1e-5'], "'1.5' is invalid"],
      [setting, 'expected either --noise or --target-epsilon'],
      [[...setting, '--noise', '1', '--accountant', 'magic'], 'invalid accountant: expected pld or rdp, got magic'],
      [[...setting, '--noise', '1', '--orders', 'few'], 'invalid orders'],
    ] as const;
    for (const [args, message] of cases) {
      const { status, stdout, stderr } = account(...args);
      expect([status, stdout]).toEqual([2, '']);
      expect(stderr).toContain(message);
    }
  });
});
