// What results keep of model and data, where an attack shares more than classification does.

import { describe, expect, it } from 'vitest';
import { openStudyInputs } from '../../src/calibration/study/inputs.js';
import { summaryOf } from '../../src/calibration/study/summary.js';
import { selectParameters } from '../../src/models/index.js';
import { makeRoot } from '../models/tiny-models.js';
import { tinyStudy } from './tiny-study.js';

const root = makeRoot();

describe('the number of shared tensors', () => {
  it('is that of the attack whose loss needs the most', async () => {
    // A model with a language-model head.
    const study = { ...(await tinyStudy(root)), model: 'bundled:bert-mini' };
    const inputs = await openStudyInputs(study);
    expect(summaryOf(inputs, []).shared).not.toHaveProperty('mostTensors');
    const attacks = { ...study.attacks, decepticons: { count: 2, batchSize: 2, maxTokens: 8 } };
    const { shared } = summaryOf({ ...inputs, study: { ...study, attacks } }, []);
    // Decepticons on BERT attacks a loss of masked tokens.
    const ofTokens = selectParameters(inputs.model, 'all', 'lm').length;
    expect(ofTokens).toBeGreaterThan(shared.tensors);
    expect(shared.mostTensors).toBe(ofTokens);
  });

  it('does not count attacks that the model does not allow', async () => {
    const study = await tinyStudy(root);
    const attacks = { ...study.attacks, decepticons: { count: 2, batchSize: 2, maxTokens: 8 } };
    const inputs = await openStudyInputs({ ...study, attacks });
    expect(summaryOf(inputs, []).shared).not.toHaveProperty('mostTensors');
  });
});
