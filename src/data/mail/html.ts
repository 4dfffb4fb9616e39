// The doorway to parse5: the text a mail reader would show for HTML. Spam breaks its markup on purpose (comments inside
// words, tags never closed), so it is parsed by the rules of the HTML standard, not matched.

import { type DefaultTreeAdapterTypes, parse } from 'parse5';

type Node = DefaultTreeAdapterTypes.Node;

const hidden = new Set(['head', 'script', 'style', 'title', 'iframe', 'noembed', 'noframes', 'template', 'select']);
const inline = new Set(
  'a abbr acronym b bdo big blink cite code dfn em font i ins kbd label map nobr q s samp small span strike strong sub sup tt u var'.split(
    ' ',
  ),
);

/** One line a block; comments, scripts and styles dropped, entities decoded. */
export function htmlToText(html: string): string {
  const pieces: string[] = [];
  // Iterative: unclosed tags nest thousands deep.
  const waiting: (Node | '\n')[] = [parse(html, { scriptingEnabled: false })];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node === '\n') pieces.push(node);
    else if ('value' in node) pieces.push(node.value.replace(/\s+/g, ' '));
    else if ('childNodes' in node && !hidden.has(node.nodeName)) {
      const block = !inline.has(node.nodeName);
      if (block) pieces.push('\n');
      if (block) waiting.push('\n');
      waiting.push(...node.childNodes.toReversed());
    }
  }
  return pieces
    .join('')
    .replace(/[^\S\n]*\n\s*/g, '\n')
    .trim();
}

const tag = /<\/?(?:html|body|table|tr|td|font|center|div|br|p|a|b|img)\b[^<>]*>/gi;
const fewTags = 4;

/** Whether text sent as plain is HTML all the same, and not merely about it. */
export function isHtml(text: string): boolean {
  const own = text.replace(/^[ \t]*[>|].*$/gm, '');
  return (own.match(tag)?.length ?? 0) > fewTags;
}
