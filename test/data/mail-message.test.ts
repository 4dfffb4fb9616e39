// Parsing mail, against Python's email package and html5lib (test/golden/data/mail/ORIGIN.md).

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCorpus } from '../../src/data/mail/corpus.js';
import { htmlToText, plainToText } from '../../src/data/mail/html.js';
import { parseMessage } from '../../src/data/mail/message.js';

const golden = <T>(name: string): T =>
  JSON.parse(readFileSync(join(import.meta.dirname, '..', 'golden', 'data', 'mail', name), 'utf8')) as T;
const words = (text: string): string[] => text.match(/[\p{L}\p{N}]+/gu) ?? [];
const bytes = (...lines: string[]) => new TextEncoder().encode(lines.join('\n'));

interface Composed {
  readonly name: string;
  readonly raw: string;
  readonly subject: readonly string[];
  readonly body: readonly string[];
}

describe('a message', () => {
  it.each(golden<Composed[]>('messages.json'))('is read as Python reads it: $name', async ({ raw, subject, body }) => {
    const message = await parseMessage(Buffer.from(raw, 'base64'));
    expect(words(message.subject)).toEqual(subject);
    expect(words(message.body)).toEqual(body);
  });

  it('has its own id and the ids of what it answers', async () => {
    const raw = bytes(
      'Message-ID: <c@x>',
      'In-Reply-To: Your message of "Monday" <b@x>',
      'References: <a@x>',
      ' <b@x>',
      '',
      '',
    );
    const { id, answers } = await parseMessage(raw);
    expect(id).toBe('<c@x>');
    expect(answers).toEqual(['<b@x>', '<a@x>', '<b@x>']);
  });

  it('without identifiers has none', async () => {
    expect(await parseMessage(bytes('Subject: x', '', 'y'))).toEqual({
      subject: 'x',
      body: 'y\n',
      id: undefined,
      answers: [],
    });
  });

  it('without a charset is read as windows-1252, the subject too', async () => {
    const raw = Buffer.from(
      'Subject: world\x92s caf\xe9 and more\n\nplain \x93words\x94 \x96 a whole line of them\n',
      'latin1',
    );
    const { subject, body } = await parseMessage(raw);
    expect(subject).toBe('world’s café and more');
    expect(body).toBe('plain “words” – a whole line of them\n');
    const only = await parseMessage(Buffer.from('Subject: caf\xe9 and more of it\n\nascii\n', 'latin1'));
    expect(only.subject).toBe('café and more of it');
  });

  it('in another charset than it declares is not turned into Western letters', async () => {
    const big5 = Uint8Array.from([0xa4, 0xa4, 0xa4, 0xe5, 0xab, 0x48, 0xa5, 0xf3, 0xac, 0xb0, 0xa6, 0xf3]);
    const { body } = await parseMessage(Buffer.concat([bytes('Subject: x', '', ''), big5]));
    expect(body).toContain('\ufffd');
  });

  it('of the corpus is read as Python reads it', async () => {
    const hash = (text: string) => createHash('sha256').update(words(text).join(' ')).digest('hex').slice(0, 12);
    const expected = golden<Record<string, [string, string]>>('corpus.json');
    const different: string[] = [];
    for (const { name, bytes: raw } of readCorpus()) {
      const [subject, body] = expected[name] ?? [];
      if (subject === undefined) continue;
      const message = await parseMessage(raw);
      if (hash(message.subject) !== subject || hash(message.body) !== body) different.push(name);
    }
    expect(Object.keys(expected)).toHaveLength(303);
    expect(different).toEqual([]);
  });
});

describe('HTML', () => {
  it('puts blocks on lines of their own', () => {
    expect(htmlToText('<p>one<p>two<br>three<ul><li>four<li>five</ul>')).toBe('one\ntwo\nthree\nfour\nfive');
  });

  it('ends blocks correctly, and shows the alternative for readers without scripts', () => {
    expect(htmlToText('<p>one</p>two<noscript><b>three</b></noscript>')).toBe('one\ntwo\nthree');
  });

  it('joins words that comments tear apart', () => {
    expect(htmlToText('mort<!-- x -->ga<b></b>ge')).toBe('mortgage');
  });

  it('may be nested thousands deep', () => {
    expect(htmlToText(`${'<div>'.repeat(20_000)}deep`)).toBe('deep');
  });

  it('in plain text is distinguished from text about HTML', () => {
    expect(plainToText('use <br> or <p>, see &lt;b&gt;')).toBe('use   or  , see <b>');
    expect(plainToText('<html>a<script>b</script>')).toBe('a');
    expect(plainToText('if (a < b && c > d) {}')).toBe('if (a < b && c > d) {}');
    expect(plainToText('one&nbsp;two')).toBe('one two');
  });
});
