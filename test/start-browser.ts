// Chromium from npm, for tests in a real browser. Where it cannot start, the tests that need it are skipped and say why.

import type { Browser } from 'playwright-core';

export async function startBrowser(): Promise<Browser | undefined> {
  try {
    const { default: chromium } = await import('@sparticuz/chromium');
    const { chromium: launcher } = await import('playwright-core');
    const args = ['--no-sandbox', '--disable-gpu', '--disable-quic'];
    return await launcher.launch({ executablePath: await chromium.executablePath(), args, timeout: 60_000 });
  } catch (error) {
    const [reason] = `${error instanceof Error ? error.message : error}`.split('\n');
    console.warn(`browser tests skipped: Chromium did not start: ${reason}`);
    return undefined;
  }
}
