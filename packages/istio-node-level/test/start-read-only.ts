/** Starts node-level redirection with read-only sysctls. Must run in its own mount namespace. */
import { loadSys } from '@cni/netns/sys'
import { iptablesSide } from '../src/iptables/iptables-side.ts'
import { everything } from './everything.ts'
import { tunnelKind } from './kinds.ts'
import { addresses, ptpNode } from './ptp-node.ts'

const [MS_RDONLY, MS_REMOUNT, MS_BIND] = [1, 32, 4096] as const

await using node = await ptpNode()
const before = await everything(node.at.node)
const sys = loadSys()
sys.mount('/proc/sys', '/proc/sys', '', MS_BIND, '')
sys.mount('/proc/sys', '/proc/sys', '', MS_BIND | MS_REMOUNT | MS_RDONLY, '')
using side = iptablesSide({ netns: node.at.node, hostIp: addresses.node, tunnel: await tunnelKind() })
const error = await side.start(node.ztunnel).then(
  () => 'it was started',
  (cause: unknown) => String(cause),
)
const isLeft = (await everything(node.at.node)) !== before
process.stdout.write(JSON.stringify({ error, isLeft }))
