// `epsilens account` as a person uses it.

import { describe, expect, it } from 'vitest';
import { addAccount } from '../../src/cli/account.js';
import { Command, CommanderError } from '../../src/cli/command.js';
import { inProcess } from './in-process.js';

const account = (...args: string[]) => inProcess('account', ...args);
/** The command's message about its arguments, without starting a process. */
function complaintAbout(args: readonly string[]): string {
  let text = '';
  const program = new Command('epsilens').exitOverride().configureOutput({
    writeErr: (written) => {
      text += written;
    },
  });
  addAccount(program);
  try {
    program.parse(['account', ...args], { from: 'user' });
  } catch (error) {
    return error instanceof CommanderError ? text : (error as Error).message;
  }
  return 'no complaint';
}

const setting = ['--sample-rate', '0.04', '--steps', '2250', '--delta', '1e-5'];

describe('epsilens account', () => {
  it('gives the known values by every accountant as JSON', async () => {
    const { status, stdout, stderr } = await account(...setting, '--noise', '1.5', '--json');
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

  it('finds noise that keeps the target, and little more', async () => {
    const { stdout } = await account(...setting, '--epsilon', '8', '--accountant', 'rdp', '--json');
    const { epsilon, noiseMultiplier } = JSON.parse(stdout);
    expect(epsilon.rdp.epsilon).toBeLessThanOrEqual(8);
    expect(epsilon.rdp.epsilon).toBeGreaterThan(7.99);
    expect(noiseMultiplier).toBeGreaterThan(1);
  });

  it('finds noise even where only loss distributions resolve so small an epsilon', async () => {
    const { stdout } = await account(...setting, '--epsilon', '0.001', '--json');
    const { epsilon } = JSON.parse(stdout);
    expect(epsilon.pld.upper).toBeLessThanOrEqual(0.001);
    expect(epsilon.pld.upper).toBeGreaterThan(0.0009);
    const rdp = await account(...setting, '--epsilon', '0.001', '--accountant', 'rdp');
    expect(rdp.status).toBe(2);
    expect(rdp.stderr).toBe(
      'epsilens: invalid target epsilon: no parameter up to 1000000 is enough for 0.001 with the rdp accountant, which then gives 0.003502 at delta 0.00001: raise epsilon or delta, or use the pld accountant\n',
    );
  });

  it('prints which number to quote, a table, the series and a statement with what it does not cover', async () => {
    const { status, stdout } = await account(...setting, '--noise', '1.5', '--every', '1125', '--records', '1000');
    expect(status).toBe(0);
    expect(stdout).toMatch(/ pld +6\.7\d+ +upper +the tightest proven bound; between 6\.7\d+\s+and 6\.7\d+\n/);
    expect(stdout).toMatch(/ rdp +7\.3292 +upper +.*order 3\.9\n/); // 7.32911, rounded up
    expect(stdout).toMatch(/ gdp +6\.6016 +approximate +.*may be too low:\s+do not quote\n/);
    expect(stdout).toMatch(/ +1125 +\d\.\d+\n +2250 +6\.7\d+\n/);
    expect(stdout).toContain('Neighbours: adding or removing one example.');
    expect(stdout).toContain('Quote the pld number');
    expect(stdout).toContain('Not covered');
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  it('is exact with one step on everyone, and says "1 step"', async () => {
    const { stdout } = await account('--sample-rate', '1', '--noise', '1', '--steps', '1', '--delta', '1e-5');
    expect(stdout).toMatch(/ pld +4\.3772 +exact/);
    expect(stdout).toMatch(/ gdp +4\.3772 +exact/);
    expect(stdout).toContain('1 step, delta 1e-5');
    expect(stdout).toContain('over 1 epoch:');
  });

  it('says why an accountant has no number, on lines that fit, and which one to quote instead', async () => {
    const tiny = ['--sample-rate', '.01', '--noise', '.5', '--steps', '1000', '--delta', '1e-40', '--every', '500'];
    const { status, stdout } = await account(...tiny);
    expect(status).toBe(0);
    if (!/ pld +–/.test(stdout)) return; // it has learnt to
    expect(stdout).toContain('Quote the rdp number');
    expect(stdout).toMatch(/\n +500 +– /);
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  it('writes no infinity into JSON without a warning', async () => {
    const { stdout } = await account(
      '--sample-rate',
      '.5',
      '--noise',
      '.03',
      '--steps',
      '10',
      '--delta',
      '1e-5',
      '--json',
    );
    const { epsilon } = JSON.parse(stdout);
    expect(epsilon.advanced).toEqual({
      epsilon: null,
      bound: 'upper',
      warnings: ['this accountant gives no finite epsilon'],
    });
  });

  it('still gives the other numbers where one accountant cannot, and says why', async () => {
    const { status, stdout } = await account(
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

  const good = { '--sample-rate': '0.1', '--noise': '1', '--steps': '10', '--delta': '1e-5' };
  it.each([
    [{ '--sample-rate': '1.5' }, 'invalid sampleRate: expected at least 0 and at most 1, got 1.5'],
    [{ '--sample-rate': '-0.1' }, "'--sample-rate <q>' argument '-0.1' is invalid. Expected a number > 0."],
    [{ '--sample-rate': 'often' }, "'--sample-rate <q>' argument 'often' is invalid. Expected a number > 0."],
    [{ '--noise': '0' }, "'--noise <multiplier>' argument '0' is invalid"],
    [{ '--noise': 'NaN' }, "'--noise <multiplier>' argument 'NaN' is invalid"],
    [{ '--noise': '' }, "'--noise <multiplier>' argument '' is invalid"],
    [{ '--noise': 'Infinity' }, "'--noise <multiplier>' argument 'Infinity' is invalid"],
    [{ '--steps': '1.5' }, "'--steps <count>' argument '1.5' is invalid. Expected a whole number >= 1."],
    [{ '--steps': '0' }, "'--steps <count>' argument '0' is invalid"],
    [{ '--delta': '2' }, 'invalid delta: expected above 0 and below 1, got 2'],
    [{ '--delta': '1' }, 'invalid delta'],
    [{ '--delta': '0' }, "'--delta <delta>' argument '0' is invalid"],
    [{ '--every': '0' }, "'--every <steps>' argument '0' is invalid"],
    [{ '--records': 'many' }, "'--records <count>' argument 'many' is invalid"],
    [{ '--epsilon': '1' }, 'expected either --noise or --epsilon, got both'],
    [{ '--noise': undefined }, 'expected either --noise or --epsilon, got neither'],
    [{ '--noise': undefined, '--epsilon': '-1' }, "'--epsilon <epsilon>' argument '-1' is invalid"],
    [{ '--steps': undefined }, "required option '--steps <count>' not specified"],
    [{ '--accountant': 'magic', '--every': '5' }, 'invalid accountant: expected pld or rdp, got magic'],
    [{ '--target-epsilon': '8' }, '--target-epsilon is now --epsilon'],
    [{ '--orders': 'few' }, 'invalid orders: expected default or published, got few'],
  ] as const)('refuses %j in one sentence that names the argument', (changed, message) => {
    const given = Object.entries<string | undefined>({ ...good, ...changed });
    const args = given.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
    const complaint = complaintAbout(args);
    expect(complaint).toContain(message);
    expect(complaint.trimEnd().split('\n')).toHaveLength(1);
  });

  it('ends with exit code 2 and nothing on stdout, wherever the mistake is found', async () => {
    for (const changed of ['--sample-rate=1.5', '--noise=0', '--nois=1', '--orders=few']) {
      const { status, stdout, stderr } = await account(...setting, '--noise', '1.5', '--json', changed);
      expect([status, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(/^(epsilens|error): .*\n(\(.*\)\n)*$/);
    }
  });
});
