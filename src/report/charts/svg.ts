// Draws a chart's specification as SVG text.

import { makeDocument } from './dom.js';
import { type PlotOptions, plot } from './plot.js';

/** SVG for the page, whose style sheet sets the colours. */
export function drawSvg(options: PlotOptions): string {
  const document = makeDocument() as NonNullable<PlotOptions['document']>;
  const element = plot({ ...options, document }) as unknown as { readonly outerHTML: string };
  return inTags(element.outerHTML).replace('<svg ', '<svg role="img" ');
}

/** SVG for a file of its own: on white, in the colours for print. */
export const svgFile = (svg: string): string =>
  `${svg
    .replaceAll('var(--plot-background)', '#fff')
    .replace('<svg ', '<svg xmlns="http://www.w3.org/2000/svg" ')
    .replace('style="', 'style="background:#fff;color:#1d2129;')}\n`;

/** Hundredths of a pixel are enough, and the same on every machine. */
const inTags = (svg: string): string =>
  svg.replace(/<[^>]*>/g, (tag) => tag.replace(/-?\d+\.\d{3,}/g, (number) => `${Number(Number(number).toFixed(2))}`));
