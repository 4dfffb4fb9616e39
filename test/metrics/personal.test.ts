// Words that look personal, by rules of thumb.

import { describe, expect, it } from 'vitest';
import { learnPersonal } from '../../src/metrics/index.js';

/** What is found in a text, as `kind: words`. */
const found = (text: string, ...others: string[]) =>
  learnPersonal([text, ...others])(text).map(({ start, end, kind }) => `${kind}: ${text.slice(start, end)}`);

describe('words that look personal', () => {
  it.each([
    ['call 555-123-4567 now', ['number: 555-123-4567']],
    ['call +1 (713) 853-1234.', ['number: +1 (713) 853-1234']],
    ['room 12 at 9', []],
    ['code A1B2C3 and 4711', ['number: A1B2C3', 'number: 4711']],
    ['invoice INV-2031-7 is due', ['number: INV-2031-7']],
    ['write to mara.lind@example.co.uk today', ['e-mail address: mara.lind@example.co.uk']],
    ['write to mara @ example . com today', ['e-mail address: mara @ example . com']],
    ['see https://x.org/a?b=1 or www.shop.de', ['web address: https://x.org/a?b=1', 'web address: www.shop.de']],
    ['due 2021-05-03, or 5/3/2021', ['date: 2021-05-03', 'date: 5/3/2021']],
    ['due May 3, 2021 or 3rd May', ['date: May 3, 2021', 'date: 3rd May']],
    ['paid $1,250.00 and 20 EUR', ['amount of money: $1,250.00', 'amount of money: 20 EUR']],
  ])('are in “%s”', (text, expected) => {
    expect(found(text)).toEqual(expected);
  });

  it('are names: capitals inside of a sentence, wherever the same word stands', () => {
    expect(found('Yesterday I met Mary Smith-Jones and O’Brien. They left.')).toEqual([
      'name: Mary',
      'name: Smith-Jones',
      'name: O’Brien',
    ]);
    expect(found('Mary left.', 'I saw Mary.')).toEqual(['name: Mary']);
  });

  it('are neither sentence starts, common words, words in capitals, nor words that are written small elsewhere', () => {
    expect(found('They left. "We stay!" said HR on Friday. I’ll thank the Internet.')).toEqual([]);
    expect(found('we saw Will', 'he will go')).toEqual([]);
    expect(found('the Plan', 'a plan')).toEqual([]);
    expect(found('')).toEqual([]);
  });

  it('are found in long texts quickly', () => {
    const hostile = [`${'a.'.repeat(20_000)}`, `${'1 '.repeat(20_000)}`, `${'a@'.repeat(20_000)}`, 'x'.repeat(40_000)];
    const start = performance.now();
    for (const text of hostile) found(text);
    expect(performance.now() - start).toBeLessThan(5000);
  });
});
