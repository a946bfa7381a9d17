import { boolFlag, type FlagValues, parseFlags, textFlag, UsageError } from '@cni/host/cli'
import { iptables, type Ruleset } from '@cni/iptables'
import { explain, type Family, parseSave, type SavedTables as Snapshot, trace } from '@cni/iptables/rules'
import { nativeRules, redirectRules } from '@cni/istio-rules'
import { type Netns, netns } from '@cni/netns'
import { readTables } from '@cni/nftables'
import { explain as explainNft, type Ruleset as NftRuleset, parseListing, trace as traceNft } from '@cni/nftables/rules'
import { openNft } from '@cni/nftables/wire'
import { type Packet, parsePacket } from '@cni/types/packet'
import { completePacket, isOutside } from '../explain/complete-packet.ts'
import { jsonText } from '../safe-text.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import type { ToolIo } from './io.ts'
import { nativeFlag, podFlags } from './pod/flags.ts'
import { podDecision } from './pod/pod-decision.ts'

/** Flags of `istio-redirect trace`. */
export const traceFlags = {
  ...podFlags,
  packet: textFlag({
    name: 'packet',
    value: 'PACKET',
    help: 'outgoing, such as "tcp 10.0.0.5:80 uid 1000", or incoming, such as "tcp 10.1.2.3:8080 from 10.9.9.9 in eth0"; also gid (default: uid), mark, connmark, state, out (default: eth0), local',
  }),
  from: textFlag({
    name: 'from',
    value: 'FILE',
    help: 'file with the output of iptables-save, or with --native-nftables of nft list ruleset, instead of a pod',
  }),
  netns: textFlag({
    name: 'netns',
    value: 'PATH',
    help: 'network namespace whose rules are traced, instead of a pod’s',
  }),
  nativeNftables: nativeFlag,
  json: boolFlag({ name: 'json', help: 'print the trace as one JSON document' }),
  mermaid: boolFlag({ name: 'mermaid', help: 'print a chart of the rules that matched' }),
}

/** Runs `istio-redirect trace`: explains which rules a packet passes, and the verdict. */
export async function runTrace(argv: readonly string[], io: ToolIo): Promise<ExitCode> {
  const { values: flags, positionals } = parseFlags(argv, traceFlags)
  if (positionals.length > 0) throw new UsageError(`unexpected argument ${JSON.stringify(positionals[0])}`)
  if (flags.packet === '') throw new UsageError('expected --packet, such as --packet "tcp 10.0.0.5:80 uid 1000"')
  if ([flags.pod, flags.from, flags.netns].filter((source) => source !== '').length !== 1) {
    throw new UsageError('expected one of --pod FILE, --from FILE and --netns PATH')
  }
  const packet = parsePacket(flags.packet)
  const native = flags.nativeNftables
  const source = await (native ? nativeSource(io, flags) : iptablesSource(io, flags, packet))
  if (source === undefined) return exitCodes.skipped
  const local = packet.local ?? source.local
  const { result, text } = source.trace(
    completePacket(local === undefined ? packet : { ...packet, local }),
    flags.mermaid,
  )
  io.stdout(flags.json ? jsonText(result) : text)
  if (result.verdict === 'ACCEPT' || result.verdict === 'accept') return exitCodes.ok
  return result.verdict === 'undecided' ? exitCodes.undecided : exitCodes.negative
}

type TraceFlagValues = FlagValues<typeof traceFlags>

/** Rules through which a packet is traced, and the addresses of the machine or pod that has the rules. */
interface Source {
  readonly local: readonly string[] | undefined
  trace(packet: Packet, chart: boolean): { readonly result: { readonly verdict: string }; readonly text: string }
}

async function iptablesSource(io: ToolIo, flags: TraceFlagValues, packet: Packet): Promise<Source | undefined> {
  const family: Family = packet.dst.includes(':') ? 'ipv6' : 'ipv4'
  const of = (rules: Ruleset | Snapshot, local?: readonly string[]): Source => ({
    local,
    trace(packet, chart) {
      const result = trace(rules, packet)
      return { result, text: explain(result, { format: chart ? 'mermaid' : 'text' }) }
    },
  })
  if (flags.from !== '') return of(parseSave(io.system.readFile(flags.from), family))
  if (flags.pod !== '') {
    const found = await decided(io, flags)
    return found && of(redirectRules(found.config), found.local)
  }
  using opened = netns.open(flags.netns)
  return of(parseSave(await iptables(opened).save(family), family), await outside(io, opened))
}

async function nativeSource(io: ToolIo, flags: TraceFlagValues): Promise<Source | undefined> {
  const of = (rules: NftRuleset, local: readonly string[] | undefined): Source => ({
    local,
    trace(packet, chart) {
      const result = traceNft(rules, packet)
      return { result, text: explainNft(result, { format: chart ? 'mermaid' : 'text' }) }
    },
  })
  if (flags.from !== '') return of(parseListing(io.system.readFile(flags.from)), undefined)
  if (flags.pod !== '') {
    const found = await decided(io, flags)
    return found && of(nativeRules(found.config), found.local)
  }
  using opened = netns.open(flags.netns)
  using nft = openNft(opened)
  return of(readTables(nft), await outside(io, opened))
}

/** Reads the capture configuration and the addresses of a pod. `undefined` if the pod gets no rules. */
async function decided(io: ToolIo, flags: TraceFlagValues) {
  const found = await podDecision(io, flags)
  if (found.act !== 'skip') {
    return { config: found.config, local: found.addresses.length > 0 ? found.addresses : undefined }
  }
  io.stderr(`${found.pod} gets no rules: ${found.reason}\n`)
  return undefined
}

const outside = async (io: ToolIo, opened: Netns): Promise<readonly string[]> =>
  (await io.system.addresses(opened)).map((cidr) => cidr.replace(/\/.*$/, '')).filter(isOutside)
