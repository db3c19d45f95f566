// The screens in Debian's Chromium, over the real desk and the real server. `cargo xtask test` builds
// the programs and says where they are.

import { defineConfig } from '@playwright/test';

export default defineConfig({
  globalSetup: './bed/hotel.ts',
  outputDir: process.env.NIGHTDESK_SCRATCH ?? './test-results',
  // One hotel for all: flows that run at once would take each other's rooms.
  workers: 1,
  retries: 0,
  timeout: 60_000,
  expect: { timeout: 10_000 },
  forbidOnly: true,
  reporter: [['list'], ...(process.env.PLAYWRIGHT_JSON_OUTPUT_FILE ? [['json'] as ['json']] : [])],
  use: {
    viewport: { width: 1366, height: 768 },
    testIdAttribute: 'data-testid',
    trace: 'retain-on-failure',
    screenshot: 'only-on-failure',
    launchOptions: {
      executablePath: process.env.NIGHTDESK_CHROMIUM ?? '/usr/bin/chromium',
      // As root Chromium has no sandbox of its own; the pages are ours. The others keep it from looking
      // for its maker's servers.
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    },
  },
  projects: [
    { name: 'flows', testDir: './flows' },
    { name: 'shots', testDir: './shots' },
  ],
});
