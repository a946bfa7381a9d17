/** An argument as a POSIX shell reads it back. */
export function quoteArgument(text: string): string {
  return /^[\w./:=@,+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
