import { lackingKinds } from '../../netns/test/link-kinds.ts'
import type { TunnelKind } from '../src/names.ts'

/** Tunnel type that the kernel of the test machine supports, geneve if possible. */
export const tunnelKind = async (): Promise<TunnelKind> => ((await lackingKinds()).has('geneve') ? 'vxlan' : 'geneve')
