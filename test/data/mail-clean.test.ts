import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanBody, cleanSubject, composeText, wordLimit } from '../../src/data/mail/clean.js';

const lines = (...all: string[]) => all.join('\n');

describe('a subject', () => {
  it.each([
    ['Re: [ILUG] Re: disks', 'disks'],
    ['[Razor-users] RE[2]: honor is not in', 'honor is not in'],
    ['Fwd: hello (fwd)', 'hello'],
    ['*****SPAM***** Win', 'Win'],
    ['Ouch (was Re: My brain hurts)', 'Ouch'],
    ['What is it? [ANCHORDESK]', 'What is it?'],
    ['yyyy, be your own boss!!!!!!', ', be your own boss!!!'],
    ['Save now      7893vBvF1-278ZKCc8-17', 'Save now'],
    ['see http://example.org/x?y=1', 'see http'],
    ['Regarding [brackets] inside', 'Regarding [brackets] inside'],
    ['', ''],
  ])('%j becomes %j', (raw, clean) => expect(cleanSubject(raw)).toBe(clean));
});

describe('a body', () => {
  it('loses quotations and their attributions', () => {
    const body = lines(
      'On Thu, Aug 29, 2002 at 03:31:11PM +0100,',
      'Some One <one@example.org> wrote:',
      '> quoted',
      '>> twice',
      '',
      'My answer.',
      'Chris> another',
      '| and another',
      'Yours',
    );
    expect(cleanBody(body)).toBe('My answer. Yours');
  });

  it('loses an attribution without a date only before a quotation', () => {
    expect(cleanBody(lines('Some One writes:', '', '> quoted', 'No.'))).toBe('No.');
    expect(cleanBody(lines('One <one@example.org>:', '> quoted', 'No.'))).toBe('No.');
    expect(cleanBody(lines('Some One writes:', 'not quoted'))).toBe('Some One writes: not quoted');
  });

  it('keeps a sentence that introduces a quotation', () => {
    expect(cleanBody(lines('Look at this part:', '> quoted', 'Odd.'))).toBe('Look at this part: Odd.');
  });

  it('is cut off at the original message, unless nothing else is left', () => {
    const original = ['-----Original Message-----', 'From: A', 'Sent: today', 'Subject: b', '', 'old text'];
    expect(cleanBody(lines('new text', '', ...original))).toBe('new text');
    expect(cleanBody(lines(...original))).toBe('old text');
  });

  it.each([
    ['a signature', ['-- ', 'Name', 'Street']],
    ['a list footer', ['_______________________________________________', 'X mailing list', 'http://lists.example/x']],
    ['an advertisement', ['This sf.net email is sponsored by: someone', 'Buy.', 'Now.']],
    ['a PGP signature', ['-----BEGIN PGP SIGNATURE-----', 'Version: 1', 'iD8DBQE9', '-----END PGP SIGNATURE-----']],
    ['a sponsor', ['------ Yahoo! Groups Sponsor ------~-->', '4 DVDs', '-----~->']],
    ['a report of a filter', ['SPAM: Content analysis: 9 hits']],
    ['a part boundary', ['--DeathToSpamDeathToSpamDeathToSpam--']],
    ['header lines', ['Content-Type: text/plain', '    Date: Monday', 'X-Mailer: y']],
    ['a list of links', ['[1] http://example.org/a', '[2] http://example.org/b']],
  ])('loses %s, alone or after words', (_, extra) => {
    expect(cleanBody(lines('Some words', ...extra))).toBe('Some words');
    expect(cleanBody(lines(...extra))).toBe('');
  });

  it('keeps what follows a dividing line', () => {
    expect(cleanBody(lines('News', '====================', 'One', 'Two'))).toBe('News One Two');
    const long = Array.from({ length: 13 }, (_, index) => `item${index}`);
    expect(cleanBody(lines('News', '====================', 'www.example.org', ...long, 'me@example.org'))).toMatch(
      /item12 @$/,
    );
    expect(cleanBody(lines('--', ...Array.from({ length: 13 }, () => 'word')))).toBe(`-- ${'word '.repeat(13).trim()}`);
  });

  it('loses the PGP frame of a signed message', () => {
    const body = lines('-----BEGIN PGP SIGNED MESSAGE-----', 'Hash: SHA1', '', 'Signed words');
    expect(cleanBody(body)).toBe('Signed words');
  });

  it('replaces a link by one word and an address by another', () => {
    const body = 'See <http://example.org/a?b> or www.example.org, write to <me.too@example.org> or mailto:x@y.z';
    expect(cleanBody(body)).toBe('See http or http write to @ or @');
  });

  it('loses unreadable words and codes, but no numbers, accents or prices', () => {
    expect(cleanBody('a\ufffdb ÖÐÂ·Í¨ café 1-888-763-2497 $39.95 492416129876 5363PIMF9-885VmHQ')).toBe(
      'café 1-888-763-2497 $39.95',
    );
  });

  it('is one line of composed characters (NFC) for any input', () => {
    const text = fc.string({ unit: 'binary', maxLength: 200 });
    fc.assert(
      fc.property(fc.array(text), (raw) => {
        const clean = cleanBody(raw.join('\n'));
        expect(clean).toBe(clean.normalize('NFC').trim());
        expect(clean).not.toMatch(/[\n\r\t\0]| {2}/);
      }),
      { seed: 1 },
    );
  });
});

describe('the text', () => {
  it('joins subject and body', () => {
    expect(composeText('Hello', 'world')).toBe('Hello: world');
    expect(composeText('Hello?', 'World.')).toBe('Hello? World.');
    expect(composeText('', 'world')).toBe('world');
    expect(composeText('Hello', '')).toBe('Hello');
  });

  it('ends at the word limit', () => {
    const body = Array.from({ length: 100 }, (_, index) => `w${index}`).join(' ');
    expect(composeText('two words', body).split(' ')).toHaveLength(wordLimit);
    expect(composeText('two words', body)).toMatch(/ w61$/);
  });
});
