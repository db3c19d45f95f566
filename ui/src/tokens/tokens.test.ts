import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const css = readFileSync('src/tokens/tokens.css', 'utf8');

/** Both values of every token that is a `light-dark(#…, #…)` pair. */
const tokens = new Map(
  [...css.matchAll(/--([\w-]+):\s*light-dark\((#[0-9a-f]{6}),\s*(#[0-9a-f]{6})\)/g)].map((match) => [
    match[1]!,
    { light: match[2]!, dark: match[3]! },
  ]),
);

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5]
    .map((place) => Number.parseInt(hex.slice(place, place + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const surfaces = ['grey-1', 'grey-2', 'grey-3', 'grey-4', 'float'];
const texts = ['grey-10', 'grey-11', 'grey-12', 'accent', 'in-house', 'confirmed', 'hold', 'over', 'walked', 'out-of-order'];
const pairs: [string, string][] = [
  ...surfaces.flatMap((ground) => texts.map((text): [string, string] => [text, ground])),
  ['grey-9', 'grey-1'],
  ['on-accent', 'accent'],
  ['on-accent', 'accent-strong'],
  ['grey-10', 'accent-soft'],
  ['accent', 'accent-soft'],
  ...['in-house', 'confirmed', 'hold', 'over', 'out-of-order', 'walked'].flatMap((hue): [string, string][] => [
    [hue, `${hue}-soft`],
    ['grey-12', `${hue}-soft`],
  ]),
  ...['in-house', 'hold', 'over', 'walked', 'confirmed'].map((hue): [string, string] => [hue, 'accent-soft']),
];

describe.each(['light', 'dark'] as const)('contrast in the %s theme', (theme) => {
  it.each(pairs)('%s on %s is 4.5:1 at least', (text, ground) => {
    const [front, back] = [tokens.get(text), tokens.get(ground)];
    expect(front, text).toBeDefined();
    expect(back, ground).toBeDefined();
    expect(contrast(front![theme], back![theme])).toBeGreaterThanOrEqual(4.5);
  });
});

it('twelve greys, from surface to text', () => {
  for (let step = 1; step <= 12; step += 1) expect(tokens.has(`grey-${step}`)).toBe(true);
});

it('no screen uses a colour that is no token', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.module.css'),
  );
  expect(files.length).toBeGreaterThan(10);
  const guilty = files.filter((path) => {
    // Paper is white, whatever the theme.
    const text = readFileSync(`src/${path}`, 'utf8').replace(/@media print[\s\S]*$/, '');
    return /#[0-9a-f]{3,8}\b/i.test(text);
  });
  expect(guilty).toEqual([]);
});
