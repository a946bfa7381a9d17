import { isObject, quote } from '@cni/types'
import { formatAddress, networkAddress, parseAddress, parsePrefix } from '@cni/types/ip'
import { NodeLevelError } from './node-level-error.ts'

/**
 * Chooses the IPv4 address from which the node contacts pods. Prefers the node's first own address that lies in
 * `spec.podCIDR`. Otherwise takes the `InternalIP`. The member `why` explains the choice for the log.
 *
 * @param node - the Node object of the API server
 * @param own - IP addresses of the node's links, in the order of the links
 * @throws `NodeLevelError` `NO_ADDRESS` if the node has no IPv4 address of either type.
 */
export function hostIpOf(node: unknown, own: readonly string[]): { readonly ip: string; readonly why: string } {
  const { spec, status, metadata } = record(node)
  const { podCIDR } = record(spec)
  const ours = own.filter(isIpv4)
  if (typeof podCIDR === 'string' && podCIDR !== '') {
    const ip = ours.find((address) => isIn(address, podCIDR))
    if (ip !== undefined) return { ip, why: `it is in the podCIDR ${podCIDR}` }
  }
  const internal = list(record(status).addresses).map(record)
  const found = internal.find(({ type, address }) => type === 'InternalIP' && isIpv4(address))?.address
  if (typeof found === 'string') return { ip: found, why: 'it is the InternalIP of the Node' }
  const { name } = record(metadata)
  const missing = 'none of its addresses is in its podCIDR, and it has no IPv4 InternalIP'
  throw new NodeLevelError('NO_ADDRESS', `the IPv4 address of node ${quote(String(name))} is unknown: ${missing}`)
}

// internal

const isIpv4 = (value: unknown): boolean => typeof value === 'string' && parseAddress(value)?.length === 4

function isIn(address: string, cidr: string): boolean {
  const prefix = parsePrefix(cidr)
  const bytes = parseAddress(address)
  if (prefix === undefined || bytes === undefined || prefix.bytes.length !== bytes.length) return false
  const { length } = prefix
  return formatAddress(networkAddress(prefix)) === formatAddress(networkAddress({ bytes, length }))
}

const record = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {})
const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
