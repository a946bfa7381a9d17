/** Prints an option's value as `iptables-save` does: in quotes unless it contains only letters, digits, `_` and `-`. */
export const savedWord = (text: string): string =>
  /^[\w-]+$/.test(text) ? text : `"${text.replace(/["'\\]/g, '\\$&')}"`

/** Prints the name of a chain as `iptables-save` does, always as one word. */
export const savedName = (name: string): string =>
  /^[^\s"\\\p{Cc}]+$/u.test(name) ? name : savedWord(name.replace(/\p{Cc}/gu, '\ufffd'))
