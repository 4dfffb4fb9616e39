// Membership attacks on models that were trained elsewhere: from a table of what they say of examples.

import {
  attacks,
  evaluateMembership,
  type MembershipAttack,
  type MembershipTruth,
  membershipVerdict,
  onlyMeasurable,
  readScoreFile,
} from '../attacks/index.js';
import { readOptions } from '../checks/index.js';
import { seededSource } from '../random/index.js';
import type { ScoresAttackOptions, ScoresReport, ScoresResult } from './attack-options.js';
import { expectOptions } from './known-options.js';

/** Runs every membership attack that the table allows, and compares each with the truth in it. */
export async function attackScores(options: ScoresAttackOptions): Promise<ScoresReport> {
  expectOptions(options, ['scores', 'target', 'seed'], 'the attack on scores');
  const { scores, target, seed = 1 } = options;
  const truth = await readScoreFile(scores, target);
  const found = attacks.flatMap((attack) => (attack.sees === 'gradient' ? [] : variantsOf(attack)));
  const results: ScoresResult[] = [];
  const skipped: ScoresReport['skipped'][number][] = [];
  for (const { attack, given } of found) {
    const name = [attack.name, ...Object.values(given)].join(' ');
    const reason = missing(attack, given, truth);
    if (reason !== undefined) skipped.push({ attack: name, reason });
    else results.push({ attack: name, ...evaluate(attack, given, truth, seed) });
  }
  const references = truth.references?.length ?? 0;
  const [best] = [...results].sort((a, b) => b.auc.value - a.auc.value) as [ScoresResult];
  return {
    scores,
    members: truth.members.length,
    others: truth.others.length,
    references,
    results,
    skipped,
    verdict: best.verdict,
  };
}

type Given = Readonly<Record<string, string>>;

/** An attack in each of its modes, if it has some. */
function variantsOf(attack: MembershipAttack): { readonly attack: MembershipAttack; readonly given: Given }[] {
  const { mode } = attack.options;
  const modes = mode?.type === 'choice' ? mode.choices.map((one): Given => ({ mode: one })) : [{}];
  return modes.map((given) => ({ attack, given }));
}

/** Which models are missing for this attack, in words; undefined if none are. */
function missing(attack: MembershipAttack, given: Given, { references = [] }: MembershipTruth): string | undefined {
  if (attack.sees === 'losses') return undefined;
  if (attack.queries !== undefined) return 'asks the target about texts of its own, which a table does not have';
  if (attack.insight !== undefined) return 'reads the parameters of the target, which a table does not have';
  if (references.length === 0) return 'needs other models';
  const need = attack.references(readOptions(attack.options, given));
  const sizes = references.map(({ own }) => Math.min(own.members.length, own.others.length));
  if (need === 'own')
    return sizes.some((size) => size === 0) ? 'needs members and non-members of the other models' : undefined;
  const inside = (side: 'members' | 'others', k: number) =>
    references.reduce((count, one) => count + (one.inside[side][k] as number), 0);
  const enough = (side: 'members' | 'others') =>
    Array.from(references[0]?.inside[side] ?? []).every((_, k) => {
      const count = inside(side, k);
      return references.length - count >= 2 && (need === 'outside' || count >= 2);
    });
  if (enough('members') && enough('others')) return undefined;
  return need === 'both'
    ? 'needs two other models that were trained on each example and two that were not'
    : 'needs two other models that were not trained on each example';
}

function evaluate(attack: MembershipAttack, given: Given, truth: MembershipTruth, seed: number) {
  const result = evaluateMembership({
    attack,
    options: readOptions(attack.options, given),
    truth,
    random: seededSource(seed).stream(attack.name),
  });
  return {
    ...onlyMeasurable(result),
    verdict: membershipVerdict(result, { othersFrom: 'held-out' }),
  };
}
