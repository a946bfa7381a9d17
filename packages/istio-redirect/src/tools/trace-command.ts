import { boolFlag, parseFlags, textFlag, UsageError, withDefaults } from '@cni/host/cli'
import { type Family, iptables, type Ruleset } from '@cni/iptables'
import { parseSave, type SavedTables as Snapshot } from '@cni/iptables/text'
import { explain, trace } from '@cni/iptables/trace'
import { netns } from '@cni/netns'
import { type Packet, parsePacket } from '@cni/types/packet'
import { jsonText } from '../foreign-text.ts'
import { redirectRules } from '../redirect/rules.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import type { ToolIo } from './io.ts'
import { podFlags } from './pod/flags.ts'
import { podDecision } from './pod/pod-decision.ts'

/** The flags of `istio-redirect trace`. */
export const traceFlags = {
  ...podFlags,
  packet: textFlag({
    name: 'packet',
    value: 'PACKET',
    help: '"tcp 10.0.0.5:80 uid 1000" is made here; "tcp 10.1.2.3:8080 from 10.9.9.9 in eth0" comes in; also gid, mark, connmark, state, out, local; without out it leaves by eth0, and its group is that of the user’s number',
  }),
  from: textFlag({ name: 'from', value: 'FILE', help: 'instead of a pod’s, the rules that iptables-save printed' }),
  netns: textFlag({ name: 'netns', value: 'PATH', help: 'instead of a pod’s, the rules in a network namespace' }),
  json: boolFlag({ name: 'json', help: 'the trace as one JSON document' }),
  mermaid: boolFlag({ name: 'mermaid', help: 'a chart of the rules that matched' }),
}

/** `istio-redirect trace`: what the rules do with a packet, and why. */
export async function runTrace(argv: readonly string[], io: ToolIo): Promise<ExitCode> {
  const { given, positionals } = parseFlags(argv, traceFlags)
  if (positionals.length > 0) throw new UsageError(`unexpected argument ${JSON.stringify(positionals[0])}`)
  const flags = withDefaults(traceFlags, given)
  if (flags.packet === '') throw new UsageError('expected --packet, such as --packet "tcp 10.0.0.5:80 uid 1000"')
  if ([flags.pod, flags.from, flags.netns].filter((source) => source !== '').length !== 1) {
    throw new UsageError('expected one of --pod FILE, --from FILE and --netns PATH')
  }
  const packet = parsePacket(flags.packet)
  const family: Family = packet.dst.includes(':') ? 'ipv6' : 'ipv4'
  let rules: Ruleset | Snapshot
  let local = packet.local
  if (flags.pod !== '') {
    const found = await podDecision(io, flags)
    if (found.act === 'skip') {
      io.stderr(`${found.pod} gets no rules: ${found.reason}\n`)
      return exitCodes.skipped
    }
    rules = redirectRules(found.config)
    if (found.addresses.length > 0) local ??= found.addresses
  } else if (flags.from !== '') {
    rules = parseSave(io.system.readFile(flags.from), family)
  } else {
    using opened = netns.open(flags.netns)
    rules = parseSave(await iptables(opened).save(family), family)
    local ??= (await io.system.addresses(opened)).map((cidr) => cidr.replace(/\/.*$/, '')).filter(isOutside)
  }
  const result = trace(rules, complete(local === undefined ? packet : { ...packet, local }))
  if (flags.json) io.stdout(jsonText(result))
  else io.stdout(explain(result, { format: flags.mermaid ? 'mermaid' : 'text' }))
  if (result.verdict === 'ACCEPT') return exitCodes.ok
  return result.verdict === 'undecided' ? exitCodes.undecided : exitCodes.negative
}

/**
 * What a packet made here lacks, as it is in an ordinary pod: it leaves by `eth0` unless it is for the pod itself, and
 * the group of its sender has the number of the user.
 */
function complete(packet: Packet): Packet {
  if (packet.in !== undefined) return packet
  const inside = !isOutside(packet.dst) || packet.local?.includes(packet.dst) === true
  const { out = inside ? 'lo' : 'eth0', uid, gid = uid, src } = packet
  // on lo the kernel takes the destination for the source; elsewhere it is an address of the pod, never that of the proxy
  const family = packet.dst.includes(':')
  const own = packet.local?.find((address) => address.includes(':') === family)
  const from = src ?? (inside ? packet.dst : own)
  return {
    ...packet,
    out,
    ...(gid === undefined ? {} : { gid }),
    ...(from === undefined ? {} : { src: from }),
  }
}

const isOutside = (address: string): boolean => address !== '::1' && !address.startsWith('127.')
