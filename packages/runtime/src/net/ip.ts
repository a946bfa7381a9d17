/** True for an IPv4 address in dotted decimal without leading zeros, like Node's `isIPv4`. */
export function isIPv4(text: unknown): boolean {
  const parts = String(text).split('.')
  return parts.length === 4 && parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255)
}

/** True for an IPv6 address, with or without a zone: `fe80::1%eth0`. */
export function isIPv6(text: unknown): boolean {
  const [address = '', zone, ...rest] = String(text).split('%')
  if (rest.length > 0 || (zone !== undefined && !/^[0-9a-zA-Z_.:-]+$/.test(zone))) return false
  return parseIPv6(address) !== undefined
}

export const isIP = (text: unknown): 0 | 4 | 6 => (isIPv4(text) ? 4 : isIPv6(text) ? 6 : 0)

/** Parses an IPv6 address into its eight groups. Returns `undefined` if the text is invalid. */
export function parseIPv6(text: string): number[] | undefined {
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const [head, tail] = halves.map((half, index) => groupsOf(half, index === halves.length - 1))
  if (head === undefined) return undefined
  if (halves.length === 1) return head.length === 8 ? head : undefined
  if (tail === undefined || head.length + tail.length > 7) return undefined
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail]
}

function groupsOf(text: string, isLast: boolean): number[] | undefined {
  if (text === '') return []
  const groups: number[] = []
  const parts = text.split(':')
  for (const [index, part] of parts.entries()) {
    if (part.includes('.')) {
      if (!isLast || index !== parts.length - 1 || !isIPv4(part)) return undefined
      const [a = 0, b = 0, c = 0, d = 0] = part.split('.').map(Number)
      groups.push(a * 256 + b, c * 256 + d)
    } else if (/^[\da-f]{1,4}$/i.test(part)) groups.push(Number.parseInt(part, 16))
    else return undefined
  }
  return groups
}

/** Formats an IPv6 address by RFC 5952: the longest run of zero groups becomes `::`. */
export function formatIPv6(groups: readonly number[]): string {
  let best = { at: -1, length: 1 }
  for (let at = 0; at < groups.length; at++) {
    let length = 0
    while (groups[at + length] === 0) length++
    if (length > best.length) best = { at, length }
    at += length
  }
  const text = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(':')
  if (best.at < 0) return text(groups)
  return `${text(groups.slice(0, best.at))}::${text(groups.slice(best.at + best.length))}`
}
