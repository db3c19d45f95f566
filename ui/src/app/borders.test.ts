import { expect, it } from 'vitest';

const files = import.meta.glob('../**/*.{ts,tsx}', { query: '?raw', eager: true, import: 'default' }) as Record<
  string,
  string
>;

/** What a file imports, as paths from `src/`. */
function importsOf(path: string, text: string): string[] {
  const folder = path.replace(/^\.\.\//, '').split('/').slice(0, -1);
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => {
    const target = match[1]!;
    if (!target.startsWith('.')) return target;
    const parts = [...folder];
    for (const part of target.split('/')) {
      if (part === '..') parts.pop();
      else if (part !== '.') parts.push(part);
    }
    return parts.join('/');
  });
}

const arrows = Object.entries(files).flatMap(([path, text]) => {
  // `import.meta.glob` names the files of this folder without `../app`.
  const from = path.startsWith('./') ? `app/${path.slice(2)}` : path.slice(3);
  return importsOf(path.startsWith('./') ? `../${from}` : path, text).map((to) => ({ from, to }));
});

it('sees the files', () => {
  expect(arrows.length).toBeGreaterThan(100);
});

it('only platform/ knows the window', () => {
  expect(arrows.filter(({ from, to }) => to.startsWith('@tauri-apps') && !from.startsWith('platform/'))).toEqual([]);
});

it('features do not know each other: they meet in shared/ and app/', () => {
  const feature = (path: string) => /^features\/([^/]+)/.exec(path)?.[1];
  expect(
    arrows.filter(({ from, to }) => feature(from) && feature(to) && feature(from) !== feature(to)),
  ).toEqual([]);
});

it('shared/ knows neither features nor app, and features do not know app', () => {
  expect(
    arrows.filter(
      ({ from, to }) =>
        (from.startsWith('shared/') && /^(features|app)\//.test(to)) ||
        (from.startsWith('features/') && to.startsWith('app/')),
    ),
  ).toEqual([]);
});

it('nothing but a test reaches into dev/', () => {
  expect(
    arrows.filter(({ from, to }) => to.startsWith('dev/') && !/\.test\.tsx?$|^dev\/|^main\.tsx$/.test(from)),
  ).toEqual([]);
});

it('no text stands in a screen itself', () => {
  // A word between tags that is not in braces: `>Save<`.
  const guilty = Object.entries(files)
    .filter(([path]) => path.endsWith('.tsx') && !path.includes('.test.'))
    .flatMap(([path, text]) =>
      [...text.matchAll(/>\s*([A-Z][a-z]{2,}[^<>{}()=;]*)\s*<\//g)].map((match) => `${path}: ${match[1]}`),
    );
  expect(guilty).toEqual([]);
});
