import { NetnsError } from '../handle/netns-error.ts'

/**
 * Formats the value of a kernel setting for writing. Throws `NetnsError('INVALID')` for several lines or an invalid
 * number.
 */
export function valueText(name: string, value: string | number | boolean): string {
  const text = typeof value === 'boolean' ? String(Number(value)) : String(value)
  const isValue = typeof value === 'string' || typeof value === 'boolean' || Number.isInteger(value)
  if (isValue && text.length <= 4096 && !hasControl(text)) return text
  throw new NetnsError(
    'INVALID',
    `Invalid value for the sysctl ${JSON.stringify(name)}: ${JSON.stringify(value) ?? value}`,
  )
}

/** True if two values of a kernel setting are equal; a tab equals a space. */
export function sameValue(a: string, b: string): boolean {
  return words(a) === words(b)
}

const words = (text: string): string => text.trim().split(/\s+/).join(' ')

function hasControl(text: string): boolean {
  for (const character of text) if ((character < ' ' && character !== '\t') || character === '\u007f') return true
  return false
}
