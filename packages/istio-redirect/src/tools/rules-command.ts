import { choiceFlag, parseFlags, textFlag, UsageError } from '@cni/host/cli'
import type { Ruleset } from '@cni/iptables'
import { type Family, ruleArgs, ruleLine, rulesFor } from '@cni/iptables/rules'
import type { CaptureConfig } from '@cni/istio-rules'
import { istioRestoreText, nativeChart, nativeRules, redirectRules, rulesChart } from '@cni/istio-rules'
import { printRuleset } from '@cni/nftables/rules'
import { escapeUnsafe } from '@cni/types'
import { jsonText } from '../safe-text.ts'
import { type ExitCode, exitCodes } from './exit-codes.ts'
import type { ToolIo } from './io.ts'
import { configFromFile } from './iptables/config-file.ts'
import { nativeFlag, podFlags } from './pod/flags.ts'
import { podDecision } from './pod/pod-decision.ts'

/** Flags of `istio-redirect rules`. */
export const rulesFlags = {
  ...podFlags,
  config: textFlag({
    name: 'config',
    value: 'FILE',
    help: 'file with variables of "istio-redirect iptables" and their values, in YAML or JSON, instead of a pod',
  }),
  format: choiceFlag({
    name: 'format',
    of: ['restore', 'json', 'mermaid'],
    fallback: 'restore',
    help: 'restore: input of iptables-restore, or with --native-nftables the output of nft list; json: the rules as data; mermaid: a chart of the chains',
  }),
  nativeNftables: nativeFlag,
  family: choiceFlag({
    name: 'family',
    of: ['ipv4', 'ipv6', 'both', ''],
    fallback: '',
    help: 'ipv4, ipv6 or both; default: ipv4 for restore, both for the other formats',
  }),
}

/** Runs `istio-redirect rules`: prints the rules of a pod on stdout, without any other text. */
export async function runRules(argv: readonly string[], io: ToolIo): Promise<ExitCode> {
  const { values: flags, positionals } = parseFlags(argv, rulesFlags)
  if (positionals.length > 0) throw new UsageError(`unexpected argument ${JSON.stringify(positionals[0])}`)
  if ((flags.pod === '') === (flags.config === '')) throw new UsageError('expected --pod FILE or --config FILE')
  const found =
    flags.config === ''
      ? await podDecision(io, flags)
      : ({ act: 'redirect', config: await configFromFile(io, flags.config), pod: undefined } as const)
  if (found.act === 'skip') {
    const skipped = JSON.stringify({ pod: found.pod, skipped: found.reason })
    if (flags.format === 'json') io.stdout(`${escapeUnsafe(skipped)}\n`)
    io.stderr(`${found.pod} gets no rules: ${found.reason}\n`)
    return exitCodes.skipped
  }
  if (flags.nativeNftables) {
    if (flags.family !== '') throw new UsageError('--family: native tables have the rules of both families')
    const native = nativeRules(found.config)
    if (flags.format === 'json') io.stdout(jsonText({ pod: found.pod, config: found.config, rules: native }))
    else io.stdout(flags.format === 'mermaid' ? nativeChart(native) : printRuleset(native))
    return exitCodes.ok
  }
  const rules = redirectRules(found.config)
  const families = familiesFor(flags.family, flags.format, found.config)
  if (flags.format === 'json') io.stdout(asJson(found.pod, found.config, rules, families))
  else if (flags.format === 'mermaid') io.stdout(rulesChart(rules, families))
  else io.stdout(asRestoreText(rules, families))
  if (flags.format === 'restore' && flags.family === '' && found.config.ipv6) {
    io.stderr('this pod has IPv6 rules too: --family ipv6 prints them, for ip6tables-restore\n')
  }
  return exitCodes.ok
}

function familiesFor(family: Family | 'both' | '', format: string, { ipv6 }: CaptureConfig): readonly Family[] {
  const wanted: readonly Family[] =
    family === 'both' || (family === '' && format !== 'restore') ? ['ipv4', 'ipv6'] : [family === '' ? 'ipv4' : family]
  return wanted.filter((each) => each === 'ipv4' || ipv6 || wanted.length === 1)
}

/** Prints rules as two inputs, for iptables-restore and ip6tables-restore. */
function asRestoreText(rules: Ruleset, families: readonly Family[]): string {
  const program = { ipv4: 'iptables-restore', ipv6: 'ip6tables-restore' }
  const title = (family: Family) => (families.length > 1 ? `# ${program[family]} --noflush\n` : '')
  return families.map((family) => `${title(family)}${istioRestoreText(rules, family)}`).join('')
}

function asJson(pod: string | undefined, config: CaptureConfig, rules: Ruleset, families: readonly Family[]): string {
  const lines = (family: Family) =>
    rulesFor(rules, family).map(({ table, chain, position, ...rule }) => ({
      table,
      chain,
      ...(position === undefined ? {} : { position }),
      rule: ruleLine(ruleArgs({ table, chain, ...rule }, family)),
    }))
  const texts = Object.fromEntries(families.map((family) => [family, lines(family)]))
  return jsonText({ ...(pod === undefined ? {} : { pod }), config, rules: texts })
}
