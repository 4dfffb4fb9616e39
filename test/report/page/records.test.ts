// The section on who could be named: private with rows and texts, redacted with counts only.

import { describe, expect, it } from 'vitest';
import type { LevelRecords, StudyResults } from '../../../src/calibration/index.js';
import { redactResults, renderReport } from '../../../src/report/index.js';
import { makeResults } from '../fixtures.js';

const plain = (html: string) => html.replace(/[\u00a0\u202f]/g, ' ');
const secret = 'Call <Mara> on 4711';

function withRecords(change: Partial<LevelRecords> = {}, leakage: object = {}): StudyResults {
  const results = makeResults();
  const at = (place: number): LevelRecords => ({
    falseAlarms: 0.01,
    runs: 3,
    members: 1800,
    others: 450,
    named: { mean: 37 - place, lower: 30, upper: 44, values: [36, 37, 38] },
    byChance: 15.96,
    repeated: [
      { runs: 1, members: 60, others: 6 },
      { runs: 2, members: 31, others: 3 },
      { runs: 3, members: 21, others: 1 },
    ],
    most: [
      { split: 'train', row: 51234, text: secret, named: 3, runs: 3, rate: 0.0022, byChance: 3.99, falseShare: 0.21 },
    ],
    ...change,
  });
  return {
    ...results,
    levels: results.levels.map((level, place) => ({
      ...level,
      leakage: {
        ...level.leakage,
        membership: {
          ...(level.leakage.membership as NonNullable<typeof level.leakage.span>),
          records: at(place),
          ...leakage,
        },
      },
    })),
  };
}

const sectionOf = (results: StudyResults, redact = false) =>
  plain(renderReport(results, { redact }).html).split('<section id="records"')[1]?.split('</section>')[0] ?? '';

describe('who could be named', () => {
  it('says how many are named without noise, what chance names, and who is most exposed', () => {
    const section = sectionOf(withRecords());
    expect(section).toContain(
      'Without noise, 37 of 1,800 training records would be named if one false alarm in a hundred were accepted, in the mean over 3 runs; 16 would be by chance alone.',
    );
    expect(section).toContain('21 were named in every run, and so was 1 of 450 records that were never trained on.');
    expect(section).toContain(
      'The most exposed is row 51,234 of train, named in 3 of 3 runs; if training had left no trace, 4 of the training records would still be as exposed, in the mean.',
    );
    expect(section).toContain('Call &lt;Mara&gt; on 4711');
    // One row per level, and one per record.
    expect(section.match(/<tr><th scope="row">/g)).toHaveLength(withRecords().levels.length + 1);
    expect(plain(renderReport(withRecords()).html)).toContain('<a href="#records">Who</a>');
  });

  it('is redacted to counts: neither rows nor texts are left', () => {
    const results = withRecords();
    const { html } = renderReport(results, { redact: true });
    const section = sectionOf(results, true);
    expect(section).toContain('37 of 1,800 training records would be named');
    expect(section).toContain('Which records these are is not part of this version.');
    for (const text of [plain(html), JSON.stringify(redactResults(results))]) {
      expect(text).not.toMatch(/51,?234|Mara/);
    }
    expect(redactResults(results).levels[0]?.leakage.membership?.records).toMatchObject({ members: 1800, most: [] });
  });

  it('names nobody with too few others, and warns where these are of another kind', () => {
    const few = sectionOf(withRecords({ others: 12 }));
    expect(few).toContain(
      '12 records that were never trained on are too few to name anybody at 1 % false alarms: at least 99 are needed.',
    );
    expect(few).not.toContain('51,234');
    const kind = { different: true, pValue: 0, auc: 0.8, by: 'words', tokens: { members: 9, others: 20 } };
    expect(sectionOf(withRecords({}, { kind }))).toContain('may show the kind rather than training');
    expect(sectionOf(withRecords())).not.toContain('Caution');
  });

  it('has no column of repeated names for one run, or for members that differ', () => {
    const section = sectionOf(withRecords({ repeated: undefined as never }));
    expect(section).not.toMatch(/in every run<small>|undefined/);
    const single = sectionOf(withRecords({ runs: 1, named: { mean: 1, lower: 1, upper: 1, values: [1] } }));
    expect(single).not.toMatch(/in every run<small>|in the mean over/);
  });

  it('is absent without such results', () => {
    expect(sectionOf(makeResults())).toBe('');
    expect(renderReport(makeResults()).html).not.toContain('#records');
  });
});
