/** A value as `iptables-save` prints it: in quotes unless it is all letters, digits, `_` and `-`. */
export const savedWord = (text: string): string =>
  /^[\w-]+$/.test(text) ? text : `"${text.replace(/["'\\]/g, '\\$&')}"`

/** The name of a chain, which is printed as it is; one of nf_tables may be any text, and stays one word of one line. */
export const savedName = (name: string): string =>
  /^[^\s"\\\p{Cc}]+$/u.test(name) ? name : savedWord(name.replace(/\p{Cc}/gu, '\ufffd'))
