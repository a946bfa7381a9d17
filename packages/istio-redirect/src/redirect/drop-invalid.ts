import type { Rule } from '@cni/iptables'
import type { Tables } from './chains.ts'
import type { CaptureConfig } from './config.ts'

/** Drop packets that conntrack cannot place, before the stack answers them with a reset that nobody translates back. */
export function dropInvalid({ mangle }: Tables, { dropInvalid }: CaptureConfig): readonly Rule[] {
  if (!dropInvalid) return []
  return [mangle.on('PREROUTING').ctstate('INVALID').jump('ISTIO_DROP'), mangle.on('ISTIO_DROP').drop()]
}
