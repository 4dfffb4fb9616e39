// What every attack of the registry must satisfy: words and options for help, JSON and studies, a view without ground truth, and a
// result that is most of the text without noise, next to nothing under strong noise, and the same every time.

import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type Attack,
  type AttackedModel,
  evaluateMembership,
  evaluateReconstruction,
  type GradientAttack,
  type Insight,
  type LossView,
  type MembershipAttack,
  openAttackedModel,
  openReconstruction,
  planReconstruction,
  type ReconstructionJob,
} from '../../src/attacks/index.js';
import { lossOfMargin, marginOfLoss } from '../../src/attacks/membership/margins.js';
import { isOption, readOptions } from '../../src/checks/index.js';
import { permutation, seededSource } from '../../src/random/index.js';
import { makeRoot, type TinyName, writeTiny } from '../models/tiny-models.js';

export function describeAttack(attack: Attack): void {
  describe(`the attack ${attack.name}`, () => {
    it('has words for help and report', () => {
      const { label, help, definition, reference } = attack.words;
      for (const text of [label, help, definition, reference]) expect(text).toMatch(/\S/);
      expect(help).not.toMatch(/\.$/);
      expect(definition).toMatch(/^[A-Z].*\.$/);
      expect(attack.name).toMatch(/^[a-z][a-z-]*$/);
    });

    it('has options with help, which accept their own defaults', () => {
      for (const option of Object.values(attack.options)) {
        expect(option.help).toMatch(/\S/);
        if (option.default !== undefined) expect(isOption(option, option.default)).toBe(true);
      }
      expect(() => readOptions(attack.options, { noSuchOption: 1 })).toThrow('unknown option noSuchOption');
    });

    it('has a measure with a range', () => {
      const { key, name, scale, range } = attack.measure;
      for (const text of [key, name, scale]) expect(text).toMatch(/\S/);
      expect(range[0]).toBeLessThan(range[1]);
    });

    if (attack.sees === 'gradient') describeGradientAttack(attack);
    else describeMembershipAttack(attack);
  });
}

const texts = ['a b c d', 'the cat sat', 'z y x w v', 'hello you'];

function describeGradientAttack(attack: GradientAttack): void {
  describe.each(['bert', 'gpt2'] as const)('on tiny %s', (name: TinyName) => {
    const root = makeRoot();
    let [path, model] = ['', undefined as unknown as AttackedModel];
    beforeAll(async () => {
      path = await writeTiny(join(root, name), name);
      model = await openAttackedModel(path, { numLabels: 2, seed: 1 });
    });
    const job = (changes: Partial<ReconstructionJob> = {}): ReconstructionJob => ({
      attack: attack.name,
      options: readOptions(attack.options, {}) as Record<string, unknown>,
      model: path,
      numLabels: 2,
      examples: {
        inputIds: texts.map((text) => model.tokenizer.encode(text, { maxTokens: 10 })),
        labels: texts.map((_, i) => i % 2),
      },
      batchSize: 1,
      protection: { mechanism: 'none' },
      seed: 1,
      ...changes,
    });
    const evaluate = (changes: Partial<ReconstructionJob> = {}) =>
      evaluateReconstruction(job(changes), { model, withoutSimilarity: true });

    it('recovers most of the text without noise, far above its floor, and the same again', async () => {
      const first = await evaluate();
      const mean = first.summary[attack.measure.key as 'lcsRatio']?.mean as number;
      expect(mean).toBeGreaterThan(0.7);
      expect(first.floor?.mean).toBeLessThan(mean - 0.4);
      expect(first.sentences.map(({ index }) => index)).toEqual([0, 1, 2, 3]);
      for (const { cosine } of first.batches) expect(cosine.all).toBeCloseTo(1, 5);
      for (const { confidence, guessTokens } of first.sentences) expect(confidence).toHaveLength(guessTokens.length);
      expect(first.certainty !== undefined).toBe(attack.confidence === 'probability');
      // Without noise the answer of an attack with an objective is as likely as the truth.
      expect(first.search?.failed ?? 0).toBe(0);
      const again = await evaluate();
      expect(again.sentences).toEqual(first.sentences);
    });

    it('recovers next to nothing under overwhelming noise', async () => {
      const { summary, floor, batches } = await evaluate({
        protection: { mechanism: 'gaussian', scope: 'joint', clipping: 'clip', clipNorm: 1, noiseMultiplier: 1e6 },
      });
      const mean = summary[attack.measure.key as 'lcsRatio']?.mean as number;
      expect(mean - (floor?.mean as number)).toBeLessThan(0.3);
      for (const { cosine } of batches) expect(Math.abs(cosine.read)).toBeLessThan(0.1);
    });

    it('reads gradients that the model has, and refuses where those it needs are not shared', async () => {
      const open = await openReconstruction({
        ...job(),
        attack,
        options: readOptions(attack.options, {}),
        model,
        noise: () => seededSource(1),
      });
      const { read } = open.shared;
      expect(read.length).toBeGreaterThan(0);
      for (const parameter of read) expect(model.parameters.has(parameter), parameter).toBe(true);
      expect(Object.keys(open.server.parameters ?? {}).length > 0).toBe(attack.server === 'malicious');
      expect(open.server.judge !== undefined).toBe(attack.confidence === 'probability');
      await open.close();
      const unread = model.layout.embeddings.positions.weight;
      const only = evaluate({ shared: unread });
      // An attack with a likelihood reads whatever is shared.
      if (attack.confidence === 'probability')
        await expect(only).resolves.toMatchObject({ shared: { read: [unread] } });
      else await expect(only).rejects.toThrow(/not (among the )?shared/);
    });

    it('is planned before anything is computed', () => {
      const task = { attack, options: readOptions(attack.options, {}), model, examples: job().examples };
      const { largestBatch = 2 } = attack;
      expect(planReconstruction({ ...task, batchSize: 1 }).batches).toEqual([[0], [1], [2], [3]]);
      if (largestBatch >= 2) {
        expect(planReconstruction({ ...task, batchSize: 2 })).toMatchObject({
          batchSize: 2,
          batches: [
            [0, 1],
            [2, 3],
          ],
        });
      } else {
        expect(() => planReconstruction({ ...task, batchSize: 2 })).toThrow('one sentence at a time, got a batch of 2');
      }
      expect(() => planReconstruction({ ...task, batchSize: 3 })).toThrow('expected whole batches of 3, got 4');
      expect(() => planReconstruction({ ...task, batchSize: 5 })).toThrow('expected at most the 4 sentences');
      expect(() => planReconstruction({ ...task, batchSize: 1, loss: 'magic' })).toThrow('loss magic: expected');
    });
  });
}

/** Gradients that are longer, and evidence that is weaker, the larger a loss. */
const insightOf = (losses: ArrayLike<number>): Insight => ({
  gradientNorms: Float64Array.from(losses),
  evidence: Float64Array.from(losses, (loss) => 1 - loss),
});

/** Losses of candidates and of what was asked about them, and reference models of which half were trained on each: trained or not, they score it alike. */
function lossViewOf(losses: readonly number[], order: readonly number[]): LossView {
  const margins = (shift: number) =>
    Float64Array.from(losses, (loss, k) => marginOfLoss(loss) + shift * Math.cos(order[k] as number));
  const inside = (model: number) => Uint8Array.from(losses, (_, k) => ((order[k] as number) + model) % 2);
  return {
    losses: Float64Array.from(losses),
    margins: margins(0),
    insight: insightOf(losses),
    queried: losses.map((loss) => Float64Array.of(loss, 2 * loss, loss + 1)),
    references: [1, 2, 3, 4, 5, 6].map((model) => ({
      margins: margins(model / 10),
      inside: inside(model),
      own: {
        members: margins(1).map((one) => one + 1),
        others: margins(1),
        insight: { members: insightOf(losses.map((loss) => loss / 2)), others: insightOf(losses) },
      },
    })),
  };
}

function describeMembershipAttack(attack: MembershipAttack): void {
  const options = readOptions(attack.options, {});
  const run = (view: LossView) => Array.from(attack.run(view, options, seededSource(1)));

  it('gives every candidate a score that does not depend on its place', () => {
    const losses = Array.from({ length: 20 }, (_, i) => Math.abs(Math.sin(i)) + i / 50);
    const order = [...permutation(seededSource(2), losses.length)];
    const plain = run(lossViewOf(losses, [...losses.keys()]));
    const shuffled = run(
      lossViewOf(
        order.map((i) => losses[i] as number),
        order,
      ),
    );
    // Sums over all candidates may be rounded differently.
    for (const [place, i] of order.entries()) expect(shuffled[place]).toBeCloseTo(plain[i] as number, 10);
  });

  it('recognises members with far smaller losses, and guesses where there is no difference', () => {
    const count = 40;
    const side = (gap: number) => Array.from({ length: count }, (_, i) => 0.1 + gap + i / 400);
    // Reference models, half of them trained on an example, whose losses are those of the others, or of members if they were.
    const reference = (gap: number, model: number) => {
      const inside = Array.from({ length: count }, (_, i) => (i + model) % 2);
      const margins = side(gap).map(
        (loss, i) => marginOfLoss(inside[i] === 1 ? (loss - gap) * 1.01 : loss) + ((model % 3) - 1) / 100,
      );
      const own = (wanted: number) => Float64Array.from(margins.filter((_, i) => inside[i] === wanted));
      const insight = { members: insightOf(own(1).map(lossOfMargin)), others: insightOf(own(0).map(lossOfMargin)) };
      return {
        margins: { members: margins, others: margins },
        inside: { members: inside, others: inside },
        own: { members: own(1), others: own(0), insight },
      };
    };
    const auc = (gap: number) =>
      evaluateMembership({
        attack,
        options,
        truth: {
          members: side(0),
          others: side(gap),
          insight: { members: insightOf(side(0)), others: insightOf(side(gap)) },
          // What is asked about a member was not trained on, so its losses are those of the others.
          queried: {
            members: side(0).map((loss) => Float64Array.of(loss, loss + gap, loss + gap)),
            others: side(gap).map((loss) => Float64Array.of(loss, loss, loss)),
          },
          references: [0, 1, 2, 3, 4, 5].map((model) => reference(gap, model)),
        },
        random: seededSource(1),
      }).auc.value;
    expect(auc(1)).toBe(1);
    expect(auc(0)).toBe(attack.measure.chance);
  });
}
