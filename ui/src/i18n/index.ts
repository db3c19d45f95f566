// Every text that people see comes from here. One folder per language, one file per area of the
// screens; a language that lacks a text does not compile.
import { setupI18n } from '@lingui/core';
import { compileMessage } from '@lingui/message-utils/compileMessage';
import { en, type MessageId } from './en';

export type { MessageId };
export type Values = Record<string, string | number>;

// Dates in `en` are written the European way (30 Nov), as the trade does; other languages bring
// their own order.
export const locale = 'en-GB';

const i18n = setupI18n({ locale: 'en', locales: locale, messages: { en } });

// The library compiles a text each time that it is asked for; a chart full of bars asks often.
const compiled = new Map<string, ReturnType<typeof compileMessage>>();
i18n.setMessagesCompiler((message) => {
  let made = compiled.get(message);
  if (!made) compiled.set(message, (made = compileMessage(message)));
  return made;
});

/** The text in the chosen language, with ICU plurals and choices filled in. */
export function t(id: MessageId, values?: Values): string {
  return i18n._(id, values);
}

/** Whether the catalogue has a text of that name: for words that come from the desk. */
export function hasText(id: string): id is MessageId {
  return id in en;
}

/** The text named `prefix.word`, or the word itself when a newer desk says one not known here. */
export function tWord(prefix: string, word: string, values?: Values): string {
  const id = `${prefix}.${word}`;
  return hasText(id) ? t(id, values) : word.replaceAll('_', ' ');
}
