import { formatIPv6, parseIPv6 } from '../net/ip.ts'
import { percentDecode, percentEncode, sets } from './percent.ts'

const FORBIDDEN = /[\0\t\n\r #/:<>?@[\\\]^|]/
const FORBIDDEN_IN_DOMAIN = /[\0-\x20"#%/:<>?@[\\\]^`{|}\x7f]/

/** Parses the host of a URL. Names must be ASCII: punycode is not supported. */
export function parseHost(text: string, isSpecial: boolean): string | undefined {
  if (text.startsWith('[')) {
    const groups = text.endsWith(']') ? parseIPv6(text.slice(1, -1)) : undefined
    return groups === undefined ? undefined : `[${formatIPv6(groups)}]`
  }
  if (!isSpecial) return FORBIDDEN.test(text) ? undefined : percentEncode(text, sets.control)
  const name = percentDecode(text).toLowerCase()
  const isAscii = Array.from(name).every((letter) => letter <= '\x7f')
  if (name === '' || !isAscii || FORBIDDEN_IN_DOMAIN.test(name)) return undefined
  return endsInNumber(name) ? parseIPv4(name) : name
}

const partsOf = (name: string): string[] => {
  const parts = name.split('.')
  return parts.length > 1 && parts.at(-1) === '' ? parts.slice(0, -1) : parts
}

function endsInNumber(name: string): boolean {
  const last = partsOf(name).at(-1) ?? ''
  return /^\d+$/.test(last) || /^0x[\da-f]*$/.test(last)
}

/** Parses an IPv4 address of one to four decimal, octal or hexadecimal numbers. */
function parseIPv4(name: string): string | undefined {
  const numbers = partsOf(name).map(numberOf)
  const last = numbers.at(-1)
  if (last === undefined || numbers.length > 4) return undefined
  const head = numbers.slice(0, -1)
  if (last >= 256 ** (5 - numbers.length)) return undefined
  let value = last
  for (const [index, number] of head.entries()) {
    if (number === undefined || number > 255) return undefined
    value += number * 256 ** (3 - index)
  }
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.')
}

function numberOf(part: string): number | undefined {
  if (/^0x[\da-f]*$/.test(part)) return part === '0x' ? 0 : Number.parseInt(part.slice(2), 16)
  if (/^0[0-7]+$/.test(part)) return Number.parseInt(part, 8)
  return /^\d+$/.test(part) && !(part.length > 1 && part.startsWith('0')) ? Number(part) : undefined
}
