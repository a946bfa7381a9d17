import type { IpRanges } from '@cni/istio-rules'
import { familiesOf, usableAddresses } from '@cni/istio-rules'
import type { NetnsTarget } from '@cni/netns'
import { parseAddress } from '@cni/types/ip'
import type { ToolIo } from '../io.ts'
import { idNamed } from './account-files.ts'
import type { IptablesSettings } from './settings.ts'

/** What the rules depend on besides the settings. */
export interface Surroundings {
  readonly ipv6: boolean
  /** The address that stands for this machine; its family is the one that is probed. */
  readonly hostIP: string
  readonly ipv6Ignored: boolean
  readonly proxyUID: string
  readonly proxyGID: string
  /** The resolvers of `/etc/resolv.conf`, when they matter. */
  readonly dnsServers: IpRanges
}

/** Looks at the namespace and at the files of this machine. Throws when there is no address to capture for. */
export async function lookAround(io: ToolIo, settings: IptablesSettings, target: NetnsTarget): Promise<Surroundings> {
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

/** The id of the proxy's user, if this machine knows it. */
function proxyUser({ env, system }: ToolIo): string {
  return String(idNamed(system, '/etc/passwd', env.ENVOY_USER ?? 'istio-proxy') ?? 1337)
}

/** The name servers of a resolv.conf; what is no address is left out. */
function resolvers(text: string): IpRanges {
  const servers = text
    .split('\n')
    .filter((line) => !/^[;#]/.test(line))
    .map((line) => line.trim().split(/\s+/))
    .flatMap(([word, server]) => (word === 'nameserver' && server !== undefined ? [server] : []))
  const ofLength = (bytes: number) => servers.filter((server) => parseAddress(server)?.length === bytes)
  return { ipv4: ofLength(4), ipv6: ofLength(16) }
}
