import type { IpFamily } from '@cni/types/ip'
import { NetnsError } from '../../handle/netns-error.ts'
import { checkInteger, describeValue } from '../check.ts'
import { RT_TABLE_LOCAL, RT_TABLE_MAIN } from '../constants.ts'
import { formatPrefix, type Prefix, parseAddress, parsePrefix } from '../ip.ts'
import type { NewRoute, Route } from '../port/route.ts'
import { scopeNumbers, types } from './wire.ts'

/** Route to add or delete, with all defaults filled in. */
export interface ResolvedRoute {
  readonly family: IpFamily
  /** Destination prefix of the route; `undefined` means the default route. */
  readonly destination: Prefix | undefined
  readonly table: number
  /** Kernel number of the route's type. */
  readonly type: number
  readonly scope: number
}

/** Parses a route. For `add`, fills in defaults as `ip route` does. */
export function resolveRoute(route: NewRoute, purpose: 'add' | 'delete'): ResolvedRoute {
  const { prefix, family: familyOfPrefix } = destinationOf(route)
  const gateways = [route.gateway, ...(route.nexthops ?? []).map(({ gateway }) => gateway)]
  const families = [...gateways, route.source].flatMap((text) => (text === undefined ? [] : parseAddress(text).family))
  const family = familyOfPrefix ?? families[0] ?? route.family
  if (family === undefined) {
    throw new NetnsError('INVALID', 'A default route without a gateway needs its family: ipv4 or ipv6')
  }
  for (const other of [route.family, ...families]) {
    if (other !== undefined && other !== family) {
      throw new NetnsError('INVALID', `The route to ${routeText(route)} mixes ${family} and ${other}`)
    }
  }
  const type = route.type === undefined ? (purpose === 'add' ? UNICAST : 0) : typeNumber(route.type)
  const table = route.table ?? (type === LOCAL ? RT_TABLE_LOCAL : RT_TABLE_MAIN)
  return {
    family,
    destination: prefix,
    table: checkInteger(table, 0, 0xffffffff, 'table'),
    type,
    scope: route.scope === undefined ? defaultScope(type, purpose, gateways.some(Boolean)) : scopeNumber(route.scope),
  }
}

/** Formats the destination of a route for error messages. */
export function routeText({ destination, cidr }: NewRoute): string {
  return describeValue(destination ?? cidr)
}

/** Formats the destination of a route as the kernel reports it: a prefix without host bits, or `default`. */
export function destinationText({ destination }: ResolvedRoute): string {
  return destination === undefined ? 'default' : formatPrefix(destination)
}

function destinationOf({ destination, cidr }: NewRoute): { prefix?: Prefix | undefined; family?: IpFamily } {
  const text = destination ?? cidr
  if (text === undefined)
    throw new NetnsError('INVALID', 'The destination of the route is missing; give destination or cidr')
  const other = destination === undefined || cidr === undefined ? undefined : notNull(parsePrefix(cidr))
  if (text === 'default') {
    if (other?.prefix !== undefined) throw contradiction(text, cidr)
    return other ?? {}
  }
  const own = notNull(parsePrefix(text))
  if (other !== undefined && textOf(own.prefix) !== textOf(other.prefix)) throw contradiction(text, cidr)
  return own
}

/**
 * Replaces the destination `0.0.0.0/0` by `undefined`, because the kernel represents a default route by a missing
 * attribute.
 */
function notNull(prefix: Prefix): { prefix: Prefix | undefined; family: IpFamily } {
  return { prefix: prefix.length === 0 ? undefined : prefix, family: prefix.family }
}

const textOf = (prefix: Prefix | undefined): string => (prefix === undefined ? '' : formatPrefix(prefix))

function contradiction(destination: string, cidr: string | undefined): NetnsError {
  return new NetnsError(
    'INVALID',
    `The route has two destinations, ${describeValue(destination)} and ${describeValue(cidr)}; give one of them`,
  )
}

const UNICAST = 1
const LOCAL = 2

function typeNumber(type: Route['type']): number {
  if (typeof type === 'number') return checkInteger(type, 0, 255, 'type')
  const number = types.indexOf(type)
  if (number !== -1) return number
  throw new NetnsError('INVALID', `Unknown route type: ${describeValue(type)}; expected one of ${types.join(', ')}`)
}

function scopeNumber(scope: Route['scope']): number {
  if (typeof scope === 'number') return checkInteger(scope, 0, 255, 'scope')
  if (Object.hasOwn(scopeNumbers, scope)) return scopeNumbers[scope]
  const known = Object.keys(scopeNumbers).join(', ')
  throw new NetnsError('INVALID', `Unknown route scope: ${describeValue(scope)}; expected one of ${known}`)
}

// Returns the default scope of a route, as `ip route` chooses it.
function defaultScope(type: number, purpose: 'add' | 'delete', hasGateway: boolean): number {
  if (purpose === 'delete') return scopeNumbers.nowhere
  const name = types[type]
  if (name === 'local' || name === 'nat') return scopeNumbers.host
  if (name === 'unicast' || name === 'unspec') return hasGateway ? scopeNumbers.universe : scopeNumbers.link
  const isNear = name === 'broadcast' || name === 'multicast' || name === 'anycast'
  return isNear ? scopeNumbers.link : scopeNumbers.universe
}
