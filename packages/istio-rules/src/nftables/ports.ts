import type { Range } from '@cni/nftables/rules'

/** Converts a port or port range to the value that a rule matches. */
export function onPort(port: number | `${number}:${number}`): number | Range<number> {
  if (typeof port === 'number') return port
  const [from = Number.NaN, to = Number.NaN] = port.split(':').map(Number)
  return { from, to }
}
