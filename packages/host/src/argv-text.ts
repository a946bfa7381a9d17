const PLAIN = /^[\w@%+=:,./-]+$/

/** Formats an argument list as one readable line, quoted for a shell, with control characters escaped. */
export function argvText(argv: readonly string[]): string {
  return argv.map(quote).join(' ')
}

function quote(argument: string): string {
  if (PLAIN.test(argument)) return argument
  const visible = JSON.stringify(argument).slice(1, -1).replaceAll('\\"', '"')
  return visible === argument ? `'${argument.replaceAll("'", "'\\''")}'` : `$'${visible.replaceAll("'", "\\'")}'`
}
