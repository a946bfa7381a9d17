import { CniError, ErrorCode } from '../errors.ts'
import { isObject, type JsonObject } from '../json/json.ts'
import type { Family } from './family.ts'

// Conversions between neighbouring groups of versions. Drops members that the target version lacks.

/** Converts the members of a decoded CNI result, without `cniVersion`, from one group of versions to another. */
export function convertMembers(members: JsonObject, from: Family, to: Family): JsonObject {
  const target = ORDER.indexOf(to)
  let converted = members
  let position = ORDER.indexOf(from)
  for (; position < target; position += 1)
    converted = position === 0 ? joinFamilies(converted) : dropVersions(converted)
  for (; position > target; position -= 1)
    converted = position === 2 ? addVersions(converted) : splitFamilies(converted)
  return converted
}

const ORDER: readonly Family[] = ['ip4-ip6', 'ips-version', 'ips']
const SINCE_1_1 = ['mtu', 'socketPath', 'pciID']
const ROUTE_EXTRAS = ['mtu', 'advmss', 'priority', 'table', 'scope']

/** Converts 0.2.0 to 0.3.0. Does not copy gateways to routes, unlike older converters. */
function joinFamilies(result: JsonObject): JsonObject {
  const families = [
    { version: '4', config: result.ip4 },
    { version: '6', config: result.ip6 },
  ].flatMap(({ version, config }) => (isObject(config) ? [{ version, config }] : []))
  const ips = families.map(({ version, config }) => {
    const { ip, gateway, ...more } = without(config, ['routes', 'version', 'interface', 'address'])
    return present({ version, address: ip, gateway, ...more })
  })
  const routes = families.flatMap(({ config }) => objectsIn(config.routes))
  const { dns, ...unknown } = without(result, ['ip4', 'ip6', 'interfaces', 'ips', 'routes'])
  return present({ ips: filled(ips), routes: filled(routes), dns, ...unknown })
}

/** 0.4.0 → 1.0.0 */
function dropVersions(result: JsonObject): JsonObject {
  const { interfaces, ips, routes, dns, ...unknown } = result
  return present({
    interfaces: filled(objectsIn(interfaces).map((one) => without(one, SINCE_1_1))),
    ips: filled(objectsIn(ips).map((one) => without(one, ['version']))),
    routes,
    dns: isObject(dns) && Object.keys(dns).length === 0 ? undefined : dns,
    ...unknown,
  })
}

/** Converts 1.0.0 to 0.4.0. Keeps newer members of routes, as other implementations do. */
function addVersions(result: JsonObject): JsonObject {
  const { interfaces, ips, routes, dns = {}, ...unknown } = result
  return present({
    interfaces: filled(objectsIn(interfaces).map((one) => without(one, SINCE_1_1))),
    ips: filled(objectsIn(ips).map((one) => ({ version: familyOfText(one.address), ...without(one, ['version']) }))),
    routes,
    dns,
    ...unknown,
  })
}

/** Converts 0.3.0 to 0.2.0, which has only one address of each family. */
function splitFamilies(result: JsonObject): JsonObject {
  const ips = objectsIn(result.ips)
  const routes = objectsIn(result.routes)
  const ofFamily = (version: string): JsonObject | undefined => {
    const first = ips.find((one) => one.version === version)
    if (first === undefined) return undefined
    const { address, gateway, ...more } = without(first, ['version', 'interface', 'ip', 'routes'])
    const own = routes.filter((one) => familyOfText(one.dst) === version).map((one) => without(one, ROUTE_EXTRAS))
    return present({ ip: address, gateway, routes: filled(own), ...more })
  }
  const ip4 = ofFamily('4')
  const ip6 = ofFamily('6')
  if (ip4 === undefined && ip6 === undefined) {
    throw new CniError(ErrorCode.internal, 'cannot convert: no valid IP addresses')
  }
  const { dns, ...unknown } = without(result, ['ip4', 'ip6', 'interfaces', 'ips', 'routes'])
  return present({ ip4, ip6, dns, ...unknown })
}

function familyOfText(address: unknown): '4' | '6' {
  return String(address).includes(':') ? '6' : '4'
}

function objectsIn(list: unknown): JsonObject[] {
  return Array.isArray(list) ? list.filter(isObject) : []
}

function filled<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list
}

function without(object: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)))
}

function present(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, member]) => member !== undefined))
}
