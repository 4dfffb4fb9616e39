// Rows of the study as one figure: what is recovered against σ, against κ, and against the cosine that both leave. Noise grows to
// the right in all three. A light card, so that it reads the same on light and dark pages.

import { card, colours, dashes, floorDash, grey, ink, size } from './look.js';
import { drawPanel, type Panel, type Point } from './panel.js';
import { type Row, summarize } from './rows.js';

const panels: readonly Panel[] = [
  {
    title: 'Gaussian noise',
    label: 'σ (standard deviation; clip norm 1)',
    mechanisms: ['gaussian'],
    x: ({ level }) => level,
    least: 0,
    reverse: false,
    ticks: [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1],
    dots: false,
  },
  {
    title: 'Directional noise',
    label: 'κ (concentration; falls to the right)',
    mechanisms: ['directional'],
    x: ({ level }) => level,
    least: 0,
    reverse: true,
    ticks: [1e10, 1e9, 1e8, 1e7, 1e6, 1e5, 1e4],
    dots: false,
  },
  {
    title: 'Both, by what they leave',
    label: 'measured cosine to the gradient (falls to the right)',
    mechanisms: ['gaussian', 'directional'],
    x: ({ cosine }) => cosine.mean,
    // Smaller ones are chance, and some are negative.
    least: 1e-3,
    reverse: true,
    ticks: [1, 0.3, 0.1, 0.03, 0.01, 0.003],
    dots: true,
  },
];

export function drawFigure(rows: readonly Row[]): string {
  const points = rows.map((row): Point => ({ ...row, ...summarize(row) }));
  const width = panels.length * size.panel + 2 * size.edge;
  const height = size.legend + size.height + size.edge;
  const drawn = panels.map(
    (panel, place) =>
      `<g transform="translate(${size.edge + place * size.panel},${size.legend})">${drawPanel(panel, points, place === 0)}</g>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="12" fill="${ink}" color="${ink}" text-anchor="middle" role="img">
<title>Words that the span attack recovers, against noise</title>
<rect width="${width}" height="${height}" rx="8" fill="${card}"/>
${legend()}
${drawn.join('\n')}
</svg>
`;
}

function legend(): string {
  const entries = [
    ...Object.entries(colours).map(([name, colour]) => ({ name, colour, dash: 'none', dot: '' })),
    ...Object.entries(dashes).map(([name, dash]) => ({ name, colour: ink, dash, dot: '' })),
    { name: 'floor (another sentence)', colour: grey, dash: floorDash, dot: '' },
    { name: 'Gaussian', colour: 'none', dash: 'none', dot: ink },
    { name: 'directional', colour: 'none', dash: 'none', dot: card },
  ];
  let x = size.edge + 30;
  const drawn = entries.map(({ name, colour, dash, dot }) => {
    const mark = dot
      ? `<circle cx="${x + 18}" cy="0" r="3.5" fill="${dot}" stroke="${ink}"/>`
      : `<line x1="${x}" x2="${x + 26}" stroke="${colour}" stroke-width="2" stroke-dasharray="${dash}"/>`;
    const text = `<text x="${x + 32}" dy="0.32em" text-anchor="start">${name}</text>`;
    x += 32 + 7 * name.length + 22;
    return mark + text;
  });
  return `<g transform="translate(0,28)">${drawn.join('')}</g>`;
}
