/** The form in which texts are compared: no accents, no case, as `protocol::text::search_form`. */
export function searchForm(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/\s+/)
    .filter(Boolean)
    .join(' ');
}

/** Whether every word of the query begins a word of the text, or stands inside it. */
export function matches(text: string, query: string): boolean {
  const within = searchForm(text);
  return searchForm(query)
    .split(' ')
    .every((word) => within.includes(word));
}
