// The report in a real browser.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import { renderReport } from '../../../src/report/index.js';
import { startBrowser } from '../../start-browser.js';
import { controlResults, middleBest, tunedOver } from '../controls.js';
import { hostile, hostileResults, makeResults, resultsOfThree, third } from '../fixtures.js';

const browser = await startBrowser();
const folder = mkdtempSync(join(tmpdir(), 'epsilens-report-'));
afterAll(async () => {
  await browser?.close();
  rmSync(folder, { recursive: true });
});

const usual = renderReport(makeResults());
const pages = {
  usual: usual.html,
  hostile: renderReport(hostileResults()).html,
  redacted: renderReport(makeResults(), { redact: true }).html,
  three: renderReport(resultsOfThree()).html,
  tuned: renderReport(controlResults({}, tunedOver(middleBest, { epochs: { tune: [3, 10] } }))).html,
  bare: renderReport(makeResults({ leakage: {}, utility: undefined }, { behaviours: [] })).html,
};

/** Opens a report from disk and gives what it complained about. */
async function open(name: keyof typeof pages, options: BrowserContextOptions = {}) {
  const file = join(folder, `${name}.html`);
  writeFileSync(file, pages[name]);
  const page = await (browser as Browser).newPage(options);
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('requestfailed', (request) => complaints.push(request.url()));
  page.on('request', (request) => request.url().startsWith('file:') || complaints.push(request.url()));
  await page.goto(pathToFileURL(file).href);
  return { page, complaints };
}

/** Runs in the page; the project has no types of the browser. */
const ask = <T>(page: Page, code: string): Promise<T> => page.evaluate(code) as Promise<T>;

describe.skipIf(browser === undefined)('the report in a browser', { timeout: 120_000 }, () => {
  it('opens without complaints or requests, with all charts drawn', async () => {
    const { page, complaints } = await open('usual', { viewport: { width: 1280, height: 900 } });
    expect(complaints).toEqual([]);
    const charts = await ask<{ width: number; height: number; marks: number }[]>(
      page,
      `[...document.querySelectorAll('svg.chart')].map((svg) => {
        const { width, height } = svg.getBoundingClientRect();
        return { width, height, marks: svg.querySelectorAll('title').length };
      })`,
    );
    expect(charts).toHaveLength(13);
    for (const { width, height, marks } of charts) {
      expect(width).toBeGreaterThan(300);
      expect(height).toBeGreaterThan(150);
      expect(marks).toBeGreaterThanOrEqual(7);
    }
    await page.close();
  });

  it.each([
    ['usual', 375],
    ['usual', 1280],
    ['hostile', 375],
    ['hostile', 1280],
    ['redacted', 375],
    ['three', 375],
    ['three', 1280],
    ['tuned', 375],
    ['tuned', 1280],
    ['bare', 375],
  ] as const)(
    '%s fits %i pixels: the page does not scroll sideways, and chart text can be read',
    async (name, width) => {
      const { page, complaints } = await open(name, { viewport: { width, height: 800 } });
      expect(complaints).toEqual([]);
      expect(await ask(page, 'document.documentElement.scrollWidth')).toBe(width);
      const smallest = await ask<number>(
        page,
        `Math.min(...[...document.querySelectorAll('svg.chart')].map((svg) => 11.5 * svg.getBoundingClientRect().width / 420))`,
      );
      expect(smallest).toBeGreaterThan(9);
      await page.close();
    },
  );

  it('keeps hostile text as text', async () => {
    const { page, complaints } = await open('hostile');
    expect(complaints).toEqual([]);
    expect(await ask(page, `document.querySelectorAll('script, img').length`)).toBe(0);
    expect(await page.title()).not.toBe('owned');
    const shown = await ask<string>(page, `document.querySelector('.original bdi').textContent`);
    expect(shown).toBe(hostile.replace('\u202e', '\ufffd').replace('\u0000', '\ufffd'));
    await page.close();
  });

  it('is dark if the system is, charts included, and light on paper', async () => {
    const { page } = await open('usual', { colorScheme: 'dark' });
    const look = () =>
      ask<string[]>(
        page,
        `[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.querySelector('svg.chart text')).fill]`,
      );
    const brightness = (colour = '') =>
      (colour.match(/\d+/g) ?? []).slice(0, 3).reduce((sum, part) => sum + Number(part), 0) / 765;
    const [back, text] = await look();
    expect(brightness(back)).toBeLessThan(0.2);
    expect(brightness(text)).toBeGreaterThan(0.7);
    await page.emulateMedia({ media: 'print' });
    const [paper, ink] = await look();
    expect(brightness(paper)).toBe(1);
    expect(brightness(ink)).toBeLessThan(0.2);
    await page.close();
  });

  it('shows a third mechanism in a colour and shape of its own, the same in charts and keys', async () => {
    const { page, complaints } = await open('three', { colorScheme: 'light' });
    expect(complaints).toEqual([]);
    const keys = await ask<string[]>(
      page,
      `[...document.querySelectorAll('.glance .key')].map((key) => {
        const { backgroundColor, borderRadius, clipPath, transform } = getComputedStyle(key);
        return [backgroundColor, borderRadius, clipPath, transform].join(' ');
      })`,
    );
    expect(new Set(keys).size).toBe(3);
    const drawn = await ask<string[]>(
      page,
      `[...document.querySelectorAll('svg.chart[aria-label^="Accuracy against leakage: span"] [aria-label=dot]')].map((dots) => getComputedStyle(dots).fill)`,
    );
    const [colour] = /rgb\([^)]*\)/.exec(keys[2] ?? '') ?? [];
    expect(drawn).toContain(colour);
    const title = `Accuracy against ${third.label}`;
    expect(await ask<number>(page, `document.querySelectorAll('svg.chart[aria-label="${title}"]').length`)).toBe(1);
    await page.close();
  });

  it('has charts that are proper SVG files', async () => {
    const { page } = await open('bare');
    for (const { name, svg } of usual.charts) {
      const code = `new DOMParser().parseFromString(${JSON.stringify(svg)}, 'image/svg+xml').querySelector('parsererror')?.textContent ?? ''`;
      expect(await ask(page, code), name).toBe('');
    }
    await page.close();
  });
});
