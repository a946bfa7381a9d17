import { eitherOf, type Guard, integerIn, isFlag, isText, listOf, objectOf, oneOf, optional } from '@cni/skel/plain'
import type { CaptureConfig } from '../redirect/config.ts'
import type { AttachmentRecord } from './attachments.ts'

const integer = integerIn(0)
const port = integerIn(0, 65_535)
const ports = listOf(port)
const ids = listOf(integer)
const names = listOf(isText)
const ranges = objectOf({ ipv4: names, ipv6: names })

const isCapture: Guard<CaptureConfig> = objectOf({
  ipv6: isFlag,
  interceptionMode: oneOf('REDIRECT', 'TPROXY'),
  proxyPort: port,
  inboundCapturePort: port,
  inboundTunnelPort: port,
  proxyUIDs: ids,
  proxyGIDs: ids,
  tproxyMark: integer,
  tproxyRouteTable: integer,
  includeInboundPorts: eitherOf(oneOf('*'), ports),
  excludeInboundPorts: ports,
  includeOutboundPorts: ports,
  excludeOutboundPorts: ports,
  includeOutboundIPRanges: eitherOf(oneOf('*'), ranges),
  excludeOutboundIPRanges: ranges,
  excludeInterfaces: names,
  rerouteVirtualInterfaces: names,
  ownerGroups: objectOf({ mode: oneOf('all-except', 'only'), groups: listOf(eitherOf(integer, isText)) }),
  dns: eitherOf(oneOf('none', 'all'), ranges),
  dropInvalid: isFlag,
  loopbackCidr: isText,
})

/** Vouches for records that the schema reads as they are. */
export const isPlainRecord: Guard<AttachmentRecord> = objectOf({
  netns: objectOf({ dev: integer, ino: integer }),
  backend: orNull(isText),
  families: listOf(oneOf('ipv4', 'ipv6')),
  rules: isCapture,
  tproxy: orNull(objectOf({ mark: integer, table: integer })),
  applied: isFlag,
  generation: optional(integer),
  first: optional(isFlag),
})

// internal

function orNull<Value>(is: Guard<Value>): Guard<Value | null> {
  return (value): value is Value | null => value === null || is(value)
}
