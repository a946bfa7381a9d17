import type { Range } from '@cni/nftables/rules'
import type { PortOrRange } from '../capture/capture.ts'

/** A port, or a range of them. */
export function onPort(port: PortOrRange): number | Range<number> {
  if (typeof port === 'number') return port
  const [from = Number.NaN, to = Number.NaN] = port.split(':').map(Number)
  return { from, to }
}
