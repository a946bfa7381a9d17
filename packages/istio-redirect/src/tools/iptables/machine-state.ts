import type { IpRanges } from '@cni/istio-rules'
import { familiesOf, usableAddresses } from '@cni/istio-rules'
import type { NetnsTarget } from '@cni/netns'
import { parseAddress } from '@cni/types/ip'
import type { ToolIo } from '../io.ts'
import { idByName } from './account-files.ts'
import type { IptablesSettings } from './settings.ts'

/** Properties of the machine that the rules depend on. */
export interface MachineState {
  readonly ipv6: boolean
  /** First usable address of the machine. The probe tests the rules of this address's IP family. */
  readonly hostIP: string
  readonly ipv6Ignored: boolean
  readonly proxyUID: string
  readonly proxyGID: string
  /** DNS servers from `/etc/resolv.conf`. Read only if the settings need them. */
  readonly dnsServers: IpRanges
}

/** Reads the addresses of the namespace and files of the machine, such as `/etc/passwd`. */
export async function readMachineState(
  io: ToolIo,
  settings: IptablesSettings,
  target: NetnsTarget,
): Promise<MachineState> {
  const proxyUID = settings.proxyUID || proxyUser(io)
  const addresses = usableAddresses(await io.system.addresses(target))
  const { ipv6, hostIP, ipv6Ignored = false } = familiesOf(addresses, settings.dualStack)
  if (hostIP === undefined)
    throw new Error('no valid local IP address found: only loopback and link-local ones, or none')
  const dnsServers =
    settings.redirectDns && !settings.captureAllDns ? resolvers(io.system.readFile('/etc/resolv.conf')) : noServers
  return { ipv6, hostIP, ipv6Ignored, proxyUID, proxyGID: settings.proxyGID || proxyUID, dnsServers }
}

const noServers: IpRanges = { ipv4: [], ipv6: [] }

/** Reads the proxy's user ID from the machine's `/etc/passwd`. Returns 1337 if the user does not exist. */
function proxyUser({ env, system }: ToolIo): string {
  return String(idByName(system, '/etc/passwd', env.ENVOY_USER ?? 'istio-proxy') ?? 1337)
}

/** Parses the DNS servers in the text of a resolv.conf. Skips invalid addresses. */
function resolvers(text: string): IpRanges {
  const servers = text
    .split('\n')
    .filter((line) => !/^[;#]/.test(line))
    .map((line) => line.trim().split(/\s+/))
    .flatMap(([word, server]) => (word === 'nameserver' && server !== undefined ? [server] : []))
  const ofLength = (bytes: number) => servers.filter((server) => parseAddress(server)?.length === bytes)
  return { ipv4: ofLength(4), ipv6: ofLength(16) }
}
