export type Theme = 'system' | 'light' | 'dark';
export const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

const KEY = 'nightdesk.theme';

export function savedTheme(): Theme {
  const saved = localStorage.getItem(KEY);
  return THEMES.find((theme) => theme === saved) ?? 'system';
}

/** Shows the theme from now on, and remembers it at this desk. */
export function applyTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  if (theme === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = theme;
}
