import { NetnsError } from '../handle/netns-error.ts'

/** A value as the kernel gets it. Throws `NetnsError('INVALID')` for what would be several lines, or no number. */
export function valueText(name: string, value: string | number | boolean): string {
  const text = typeof value === 'boolean' ? String(Number(value)) : String(value)
  const isValue = typeof value === 'string' || typeof value === 'boolean' || Number.isInteger(value)
  if (isValue && text.length <= 4096 && !hasControl(text)) return text
  throw new NetnsError(
    'INVALID',
    `Not a value for the sysctl ${JSON.stringify(name)}: ${JSON.stringify(value) ?? value}`,
  )
}

/** Numbers that belong together are printed with tabs between them, and read with blanks. */
export function sameValue(a: string, b: string): boolean {
  return words(a) === words(b)
}

const words = (text: string): string => text.trim().split(/\s+/).join(' ')

function hasControl(text: string): boolean {
  for (const character of text) if ((character < ' ' && character !== '\t') || character === '\u007f') return true
  return false
}
