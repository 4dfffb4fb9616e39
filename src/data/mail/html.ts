// The doorway to parse5: the text a mail reader would show for HTML. Spam breaks its markup on purpose (comments inside
// words, tags never closed), so it is parsed by the rules of the HTML standard, not matched.

import { type DefaultTreeAdapterTypes, parse } from 'parse5';

type Node = DefaultTreeAdapterTypes.Node;

// Of a list to select from a reader shows one line.
const hidden = new Set(['head', 'script', 'style', 'title', 'iframe', 'noembed', 'noframes', 'template', 'select']);
const inline = new Set(
  'a abbr acronym b bdo big blink cite code dfn em font i ins kbd label map nobr q s samp small span strike strong sub sup tt u var'.split(
    ' ',
  ),
);

/**
 * Blocks on lines of their own; comments, scripts and styles dropped, entities decoded. The source's line breaks stay:
 * lists append plain lines to HTML.
 */
export function htmlToText(html: string): string {
  const pieces: string[] = [];
  // Iterative: unclosed tags nest thousands deep.
  const waiting: (Node | '\n')[] = [parse(html, { scriptingEnabled: false })];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    if (node === '\n') pieces.push(node);
    else if ('value' in node) pieces.push(node.value);
    else if ('childNodes' in node && !hidden.has(node.nodeName)) {
      const block = !inline.has(node.nodeName);
      if (block) pieces.push('\n');
      if (block) waiting.push('\n');
      for (const child of node.childNodes.toReversed()) waiting.push(child);
    }
  }
  return pieces
    .join('')
    .replace(/[^\S\n]*\n\s*/g, '\n')
    .trim();
}

const tag = /<\/?(?:html|head|body|table|tr|td|font|center|div|span|br|hr|p|a|b|i|u|img|ul|ol|li)\b[^<>]*>/gi;
const fewTags = 4;

/** Text that was sent as plain: HTML all the same, or with a stray tag or entity. */
export function plainToText(text: string): string {
  if (/<(?:html|body)\b/i.test(text.slice(0, 1000)) || (text.match(tag)?.length ?? 0) > fewTags)
    return htmlToText(text);
  return text.replace(tag, ' ').replace(/&#?\w{2,8};/g, (entity) => htmlToText(entity) || ' ');
}
