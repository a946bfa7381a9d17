/**
 * Formats an IP address: IPv4 as dotted decimal, IPv6 as in RFC 5952. An IPv4-mapped address keeps its dots:
 * `::ffff:10.0.0.1`.
 */
export function formatAddress(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.')
  if (isMapped(bytes)) return `::ffff:${bytes.subarray(12).join('.')}`
  const groups = Array.from({ length: 8 }, (_, i) => ((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0))
  const { start, length } = longestZeroRun(groups)
  const hex = groups.map((group) => group.toString(16))
  if (length < 2) return hex.join(':')
  return `${hex.slice(0, start).join(':')}::${hex.slice(start + length).join(':')}`
}

/** Converts an IPv4-mapped IPv6 address (`::ffff:0:0/96`) to IPv4. Returns all other addresses unchanged. */
export function unmapAddress(bytes: Uint8Array): Uint8Array {
  return isMapped(bytes) ? bytes.subarray(12) : bytes
}

// internal

const isMapped = (bytes: Uint8Array): boolean =>
  bytes.length === 16 && bytes[10] === 0xff && bytes[11] === 0xff && bytes.subarray(0, 10).every((byte) => byte === 0)

/** Finds the longest run of zero groups in an IPv6 address. Returns the first of equally long runs. */
function longestZeroRun(groups: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 }
  for (let start = 0; start < groups.length; start++) {
    let length = 0
    while (groups[start + length] === 0) length++
    if (length > best.length) best = { start, length }
  }
  return best
}
