import { lackingKinds } from '../../netns/test/rtnl/link-kinds.ts'
import type { TunnelKind } from '../src/names.ts'

/** Finds a tunnel type that the test machine's kernel supports, geneve if possible. */
export const tunnelKind = async (): Promise<TunnelKind> => ((await lackingKinds()).has('geneve') ? 'vxlan' : 'geneve')
