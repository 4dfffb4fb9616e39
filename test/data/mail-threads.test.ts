import { describe, expect, it } from 'vitest';
import { partOf } from '../../src/data/mail/extract.js';
import { groupThreads, type ThreadLinks } from '../../src/data/mail/threads.js';

const message = (name: string, links: Partial<ThreadLinks> = {}): ThreadLinks => ({
  name,
  id: undefined,
  answers: [],
  subject: '',
  text: '',
  ...links,
});
const ten = 'one two three four five six seven eight nine ten';

describe('threads', () => {
  it('are named after their first message', () => {
    expect(groupThreads([message('a', { subject: 'x' }), message('b'), message('c', { subject: 'X!' })])).toEqual([
      'a',
      'b',
      'a',
    ]);
  });

  it('join answers, also through a missing message', () => {
    const messages = [
      message('a', { id: '<1>' }),
      message('b', { id: '<2>', answers: ['<0>'] }),
      message('c', { answers: ['<0>', '<1>'] }),
    ];
    expect(groupThreads(messages)).toEqual(['a', 'a', 'a']);
  });

  it('join numbered subjects', () => {
    expect(groupThreads([message('a', { subject: 'Save 12' }), message('b', { subject: 'save 99!' })])).toEqual([
      'a',
      'a',
    ]);
  });

  it('join texts that share ten words in a row, and short texts that are equal', () => {
    const texts = [
      `${ten} eleven`,
      `zero ${ten.replace(' ten', '. Ten')}`,
      'just three words',
      'Just three words!',
      'just three',
    ];
    const groups = groupThreads(texts.map((text, index) => message(`${index}`, { text })));
    expect(groups).toEqual(['0', '0', '2', '2', '4']);
  });

  it('keep messages with only nine shared words, and empty ones, apart', () => {
    const texts = [ten, ten.split(' ').slice(0, 9).concat('else', 'x').join(' '), '', ''];
    expect(groupThreads(texts.map((text, index) => message(`${index}`, { text })))).toEqual(['0', '1', '2', '3']);
  });

  it('are the same in any order of messages', () => {
    const chain = Array.from({ length: 50 }, (_, index) =>
      message(`${index}`, { id: `<${index}>`, answers: [`<${index + 1}>`] }),
    );
    const mixed = [
      ...chain.filter((_, index) => index % 2 === 0),
      ...chain.filter((_, index) => index % 2 === 1).reverse(),
    ];
    expect(new Set(groupThreads(chain)).size).toBe(1);
    expect(new Set(groupThreads(mixed)).size).toBe(1);
  });

  it('are split 80 : 10 : 10', () => {
    const parts = Array.from({ length: 10_000 }, (_, index) => partOf(`thread ${index}`));
    const share = (part: string) => parts.filter((one) => one === part).length / parts.length;
    // Four standard deviations: a false alarm in 16,000 changes of the names.
    expect(Math.abs(share('train') - 0.8)).toBeLessThan(0.016);
    expect(Math.abs(share('validation') - 0.1)).toBeLessThan(0.012);
    expect(Math.abs(share('test') - 0.1)).toBeLessThan(0.012);
    expect(partOf('easy-ham-1/00001')).toBe(partOf('easy-ham-1/00001'));
  });
});
