import type { Flag } from './flag.ts'

/** Prints the flags of a command in two columns, for the command's help text. */
export function flagsText(
  flags: Readonly<Record<string, Flag<unknown>>>,
  { variable }: { variable?: (flag: Flag<unknown>) => string } = {},
): string {
  const rows = Object.values(flags).map((flag) => [left(flag), right(flag, variable?.(flag) ?? '')] as const)
  return rows.map(([a, b]) => `  ${a}\n${wrap(b, 100)}`).join('')
}

/** Formats a heading of a help text, in bold letters if the terminal supports bold. */
export function heading(text: string, colour: boolean): string {
  return colour ? `\u001b[1m${text}\u001b[22m` : text
}

const left = ({ name, short, value, alone }: Flag<unknown>): string =>
  `${short === undefined ? '    ' : `-${short}, `}--${name}${alone === undefined ? ` ${value ?? 'TEXT'}` : ''}`

function right({ help, fallback, shown = String(fallback), alone }: Flag<unknown>, variable: string): string {
  const notes = [
    ...(shown === '' || fallback === '' || alone !== undefined || fallback === undefined ? [] : [`default ${shown}`]),
    ...(variable === '' ? [] : [`variable ${variable}`]),
  ]
  return notes.length === 0 ? help : `${help} (${notes.join('; ')})`
}

function wrap(text: string, width: number): string {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last === undefined || last.length + word.length + 1 > width - 10) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines.map((line) => `          ${line}\n`).join('')
}
