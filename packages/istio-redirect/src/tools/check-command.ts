import { boolFlag, parseFlags, textFlag, UsageError } from '@cni/host/cli'
import { iptables } from '@cni/iptables'
import { driftText } from '@cni/iptables/rules'
import type { CaptureConfig } from '@cni/istio-rules'
import { nativeRules, redirectRules } from '@cni/istio-rules'
import { type Netns, netns } from '@cni/netns'
import { nftables } from '@cni/nftables'
import { driftText as nftDriftText } from '@cni/nftables/rules'
import { escapeUnsafeLines } from '@cni/types'
import { networkOf } from '../decide/record.ts'
import { missingFromNamespace } from '../namespace/namespace-network.ts'
import { jsonText } from '../safe-text.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import type { ToolIo } from './io.ts'
import { nativeFlag, podFlags } from './pod/flags.ts'
import { podDecision } from './pod/pod-decision.ts'

/** Flags of `istio-redirect check`. */
export const checkFlags = {
  ...podFlags,
  netns: textFlag({ name: 'netns', value: 'PATH', help: 'the network namespace of the pod' }),
  nativeNftables: nativeFlag,
  ambient: boolFlag({
    name: 'ambient',
    help: 'check the pod’s state in the ambient mesh; the agent’s settings come from its environment variables, set here',
  }),
  namespace: textFlag({
    name: 'namespace',
    value: 'FILE',
    help: 'with --ambient: file with the Namespace object of the pod, for its labels; default: the file of the pod',
  }),
  json: boolFlag({ name: 'json', help: 'print the differences as one JSON document' }),
}

/** Runs `istio-redirect check`: compares a namespace with a pod's expected rules. Changes nothing. */
export async function runCheck(argv: readonly string[], io: ToolIo): Promise<ExitCode> {
  const { values: flags, positionals } = parseFlags(argv, checkFlags)
  if (positionals.length > 0) throw new UsageError(`unexpected argument ${JSON.stringify(positionals[0])}`)
  if (flags.pod === '' || flags.netns === '') throw new UsageError('expected --pod FILE and --netns PATH')
  if (flags.ambient) return (await import('./ambient/check-ambient.ts')).checkAmbient(flags, io)
  if (flags.namespace !== '') throw new UsageError('--namespace goes with --ambient')
  using opened = netns.open(flags.netns)
  const found = await podDecision(io, flags, await io.system.addresses(opened))
  if (found.act === 'skip') {
    io.stderr(`${found.pod} gets no rules: ${found.reason}\n`)
    return exitCodes.skipped
  }
  const { drift, text: differing } = await (flags.nativeNftables ? nativeDrift : drifted)(opened, found.config)
  const missing = await missingFromNamespace(opened, networkOf(found.config))
  const lines = [...differing.split('\n'), ...missing].filter((line) => line !== '')
  const text = lines.length === 0 ? `${found.pod}: as it should be` : lines.join('\n')
  const report = { pod: found.pod, clean: lines.length === 0, drift, missing }
  io.stdout(flags.json ? jsonText(report) : `${escapeUnsafeLines(text)}\n`)
  return lines.length === 0 ? exitCodes.ok : exitCodes.negative
}

async function drifted(opened: Netns, config: CaptureConfig) {
  const drift = await iptables(opened).diff(redirectRules(config))
  return { drift, text: driftText(drift) }
}

async function nativeDrift(opened: Netns, config: CaptureConfig) {
  const drift = await nftables(opened).diff(nativeRules(config))
  return { drift, text: nftDriftText(drift) }
}
