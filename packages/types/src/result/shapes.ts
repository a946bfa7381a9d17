import type { Family } from './family.ts'
import {
  cidr,
  decodeObject,
  integer,
  integerWithZero,
  ip,
  type MemberDecoder,
  objects,
  type Shape,
  text,
  textAlways,
  texts,
} from './members.ts'

// Members of CNI results in print order, because Go prints a struct's fields as declared.

const route: Shape = {
  dst: cidr,
  gw: ip,
  mtu: integer,
  advmss: integer,
  priority: integer,
  table: integerWithZero,
  scope: integerWithZero,
}

const dnsMembers: Shape = { nameservers: texts, domain: text, search: texts, options: texts }

/** Decoder for the member `dns` in versions before 1.0.0. These versions print the member even if it is empty. */
const dnsAlways: MemberDecoder = (value, path) => decodeObject(value ?? {}, dnsMembers, path)

const dns: MemberDecoder = (value, path) => {
  const decoded = decodeObject(value ?? {}, dnsMembers, path)
  return Object.keys(decoded).length === 0 ? undefined : decoded
}

const routes = /* @__PURE__ */ objects(route)

const ipOfFamily: MemberDecoder = (value, path) =>
  value === undefined || value === null ? undefined : decodeObject(value, { ip: cidr, gateway: ip, routes }, path)

const SHAPES: Readonly<Record<Family, Shape>> = {
  'ip4-ip6': { ip4: ipOfFamily, ip6: ipOfFamily, dns: dnsAlways },
  'ips-version': {
    interfaces: /* @__PURE__ */ objects({ name: textAlways, mac: text, sandbox: text }),
    ips: /* @__PURE__ */ objects({ version: textAlways, interface: integerWithZero, address: cidr, gateway: ip }),
    routes,
    dns: dnsAlways,
  },
  ips: {
    interfaces: /* @__PURE__ */ objects({
      name: textAlways,
      mac: text,
      mtu: integer,
      sandbox: text,
      socketPath: text,
      pciID: text,
    }),
    ips: /* @__PURE__ */ objects({ interface: integerWithZero, address: cidr, gateway: ip }),
    routes,
    dns,
  },
}

/** Known members of the results of a group of CNI versions, without `cniVersion`. */
export function shapeOf(family: Family): Shape {
  return SHAPES[family]
}
