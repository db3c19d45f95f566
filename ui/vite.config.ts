import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  // The same files are served under any prefix (`/t/<token>/`) and inside the window.
  base: './',
  plugins: [react()],
  build: {
    outDir: 'dist',
    emptyOutDir: true,
    // WebKitGTK 2.50 is Safari 26; Chromium is newer than that.
    target: ['safari18', 'chrome120'],
    // The window's content policy allows files of its own only, no data: addresses.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 900,
  },
  css: { modules: { localsConvention: 'camelCaseOnly' } },
  server: { port: 5173, strictPort: true },
  test: {
    environment: 'jsdom',
    include: ['src/**/*.test.{ts,tsx}'],
    setupFiles: ['src/dev/test-setup.ts'],
    css: { modules: { classNameStrategy: 'non-scoped' } },
  },
});
