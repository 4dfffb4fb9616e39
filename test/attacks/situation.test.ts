import { describe, expect, it } from 'vitest';
import { attacks, findAttack, situationNames, situationOf } from '../../src/attacks/index.js';
import { readOptions } from '../../src/checks/index.js';

describe('situations', () => {
  it('has one for every attack', () => {
    const found = Object.fromEntries(
      attacks.map((attack) => [attack.name, situationOf(attack, readOptions(attack.options, {}))]),
    );
    expect(found).toEqual({
      likelihood: 'gradients',
      span: 'gradients',
      dager: 'gradients',
      tiger: 'gradients',
      decepticons: 'server',
      membership: 'model',
      mia: 'model',
      'mia-r': 'model',
      'mia-n': 'model',
      lira: 'model',
      rmia: 'model',
      'gradient-norm': 'model',
      updates: 'updates',
      'white-box': 'updates',
    });
    expect([...new Set(Object.values(found))].toSorted()).toEqual(situationNames.toSorted());
  });

  it('follows what the attack is told to read', () => {
    const attack = findAttack('updates');
    expect(situationOf(attack, readOptions(attack.options, { steps: 3 }))).toBe('updates');
  });
});
