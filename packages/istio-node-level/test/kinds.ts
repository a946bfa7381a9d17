import { lackingKinds } from '../../netns/test/link-kinds.ts'
import type { TunnelKind } from '../src/names.ts'

/** What the kernel of this machine has, geneve if it can. */
export const tunnelKind = async (): Promise<TunnelKind> => ((await lackingKinds()).has('geneve') ? 'vxlan' : 'geneve')
